"""The service, assembled from its settings: everything that transports, tools and tests share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tablier_core.position import Game
from tablier_core.registry import GAMES

from tablier_service.calls.advisor import AdvisorServicer
from tablier_service.calls.limits import Limit
from tablier_service.calls.memory import Memory
from tablier_service.calls.methods import Method
from tablier_service.calls.pool import SearchPool
from tablier_service.calls.servicer import GameServicer
from tablier_service.calls.slices import Slices
from tablier_service.calls.turns import Turns
from tablier_service.calls.use_cases import UseCases
from tablier_service.observability.call_log import CallLog, field_names
from tablier_service.observability.logs import Logger, configure_logs
from tablier_service.observability.metrics import Metrics
from tablier_service.observability.tracing import Tracing, make_tracing
from tablier_service.security.authentication import Authentication
from tablier_service.security.sealing import PlainTokens, SealedTokens, Tokens, read_keys
from tablier_service.security.tls import Certificates
from tablier_service.security.watched_files import WatchedFiles, naming
from tablier_service.settings import Settings


@dataclass(frozen=True)
class Service:
    """Everything that serves calls except the transports. Make one with `Service.assemble`."""

    settings: Settings
    games: Mapping[str, Game]
    # Converts between positions and the bytes that callers hold.
    tokens: Tokens
    methods: tuple[Method, ...]
    pool: SearchPool
    slices: Slices
    turns: Turns
    # For calls that wait, and for streams of requests.
    call_limit: Limit
    stream_limit: Limit
    # For the bytes of large requests and unread answers.
    buffer_limit: Limit
    memory: Memory
    authentication: Authentication
    # None for plain text.
    certificates: Certificates | None
    # The files with keys, callers and certificates.
    files: WatchedFiles
    metrics: Metrics
    logger: Logger
    call_log: CallLog
    tracing: Tracing | None

    @classmethod
    def assemble(
        cls,
        settings: Settings,
        *,
        games: Mapping[str, Game] = GAMES,
        metrics: Metrics | None = None,
        logger: Logger | None = None,
        tracing: Tracing | None = None,
        cores: Iterable[int] | None = None,
    ) -> Service:
        """Assemble a service from its settings; raises OSError if a file cannot be used.

        The other parameters replace parts that the settings describe. `cores` are those that
        searches may use, by default all cores of this process.
        """
        metrics = metrics or Metrics()
        logger = logger or configure_logs(settings.log_level, settings.log_format)
        files = WatchedFiles(logger)
        tokens = make_tokens(settings, games, files, metrics)
        use_cases = UseCases(games, tokens)
        advisor = AdvisorServicer(use_cases, settings.max_search_seconds, metrics.iterations.inc)
        game_servicer = GameServicer(use_cases, settings.max_response_bytes)
        methods = (*game_servicer.methods, *advisor.methods)
        names = field_names(
            (method.descriptor.input_type for method in methods),
            (game.options.document for game in games.values()),
        )
        calls, streams, buffers = make_limits(settings, metrics)
        return cls(
            settings=settings,
            games=games,
            tokens=tokens,
            methods=methods,
            pool=make_pool(settings, metrics, cores),
            slices=Slices(),
            turns=Turns(settings.max_long_calls),
            call_limit=calls,
            stream_limit=streams,
            buffer_limit=buffers,
            memory=Memory(),
            authentication=make_authentication(settings, files, metrics),
            certificates=make_certificates(settings, files),
            files=files,
            metrics=metrics,
            logger=logger,
            call_log=CallLog(logger, names),
            tracing=tracing or make_tracing(settings.otlp_endpoint, settings.trace_ratio),
        )

    def method(self, name: str) -> Method:
        """Find a method by its name in the protocol, e.g. `ApplyMoves`."""
        return next(method for method in self.methods if method.descriptor.name == name)

    @property
    def ready(self) -> bool:
        """Whether the service accepts calls: at least one worker serves, and this one has room."""
        serving = self.metrics.total(self.metrics.serving) > 0
        return serving and not (self.call_limit.full or self.stream_limit.full)

    def close(self) -> None:
        """Release threads, and send the spans that are still queued; this may block."""
        self.pool.close()
        if self.tracing is not None:
            self.tracing.close()


def make_tokens(
    settings: Settings, games: Mapping[str, Game], files: WatchedFiles, metrics: Metrics
) -> Tokens:
    """Make plain tokens, or sealed ones whose keys follow their file."""
    if not settings.sealed:
        return PlainTokens(games)
    failed = metrics.seal_failures.inc
    if settings.seal_keys_file is None:
        return SealedTokens(games, read_keys(settings.seal_keys.get_secret_value()), failed)
    with naming(settings.seal_keys_file):
        tokens = SealedTokens(games, read_keys(settings.seal_keys_file.read_text()), failed)
    files.add(settings.seal_keys_file, lambda content: tokens.use(read_keys(content.decode())))
    return tokens


def make_pool(settings: Settings, metrics: Metrics, cores: Iterable[int] | None) -> SearchPool:
    """Make the pool of one worker, which gets its share of the search slots."""
    rejected = metrics.rejected["search_share"]
    return SearchPool(
        max(1, settings.search_slots // settings.workers),
        settings.search_queue,
        metrics,
        cores,
        searches=Limit(
            "searches",
            rejected,
            per_account=settings.max_searches_per_caller,
            per_address=settings.max_searches_per_address,
        ),
        analyses=Limit(
            "analyses",
            rejected,
            total=settings.max_analyses,
            per_account=-(-settings.max_analyses // 2),
            per_address=-(-settings.max_analyses // 2),
        ),
        max_seconds=settings.max_advice_seconds,
    )


def make_limits(settings: Settings, metrics: Metrics) -> tuple[Limit, Limit, Limit]:
    """Make the limits of calls that wait, of streams of requests, and of buffered bytes."""
    rejected = metrics.rejected["calls"]
    calls = Limit(
        "waiting calls",
        rejected,
        total=settings.max_calls,
        per_account=settings.max_calls_per_caller,
        per_address=settings.max_calls_per_address,
    )
    streams = Limit(
        "streams",
        rejected,
        total=settings.max_streams,
        per_account=settings.max_streams_per_caller,
        per_address=settings.max_streams_per_address,
    )
    buffers = Limit(
        "bytes of large requests and unread answers",
        rejected,
        total=settings.max_buffered_bytes,
        # So four callers must collude to use up the total.
        per_account=settings.max_buffered_bytes // 4,
    )
    return calls, streams, buffers


def make_authentication(
    settings: Settings, files: WatchedFiles, metrics: Metrics
) -> Authentication:
    """Make the authentication, with callers and keys that follow their files."""
    authentication = Authentication(
        metrics,
        audience=settings.jwt_audience,
        issuer=settings.jwt_issuer,
        share=settings.workers,
        anyone_operates=settings.tls_client_ca_file is None,
    )
    if settings.callers_file is not None:
        files.add(settings.callers_file, authentication.read_callers)
    if settings.jwks_file is not None:
        files.add(settings.jwks_file, authentication.read_jwks)
    return authentication


def make_certificates(settings: Settings, files: WatchedFiles) -> Certificates | None:
    """Load the certificates, and follow their files; None for plain text."""
    if settings.tls_cert_file is None or settings.tls_key_file is None:
        return None
    return Certificates.watched(
        settings.tls_cert_file, settings.tls_key_file, settings.tls_client_ca_file, files
    )
