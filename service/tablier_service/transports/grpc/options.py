"""The limits of connections and messages, as options of gRPC."""

from __future__ import annotations

from tablier_service.settings import Settings

# What a client may send of a message before we ask for it: most requests as a whole.
LOOKAHEAD_BYTES = 16 * 1024


def channel_options(settings: Settings) -> list[tuple[str, int]]:
    """The limits of connections and messages, as options of gRPC."""
    age = settings.max_connection_age_seconds
    grace = settings.max_search_seconds + settings.drain_seconds
    return [
        # A little above our own limit, so that a slightly too large request gets our typed error.
        (
            "grpc.max_receive_message_length",
            settings.max_large_request_bytes + settings.max_request_bytes,
        ),
        # Nothing compressed: a few bytes could become the largest message, outside of our limits.
        ("grpc.compression_enabled_algorithms_bitset", 1),
        # Without probes, gRPC accepts no more of a message than this before we ask for the message.
        # With them, it would accept megabytes from a fast connection.
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", LOOKAHEAD_BYTES),
        # The supervisor has made sure that no other program has the port.
        ("grpc.so_reuseport", int(settings.workers > 1)),
        # Between a lower soft limit and the hard limit, gRPC would reject at random.
        ("grpc.max_metadata_size", settings.max_metadata_bytes),
        ("grpc.absolute_max_metadata_size", settings.max_metadata_bytes),
        ("grpc.max_concurrent_streams", settings.max_grpc_calls_per_connection),
        ("grpc.max_allowed_incoming_connections", settings.max_grpc_connections),
        ("grpc.max_connection_age_ms", round(age * 1000)),
        # An old connection accepts no new calls, but searches in progress may finish.
        ("grpc.max_connection_age_grace_ms", round(grace * 1000)),
        ("grpc.max_connection_idle_ms", round(settings.max_idle_seconds * 1000)),
        ("grpc.server_handshake_timeout_ms", round(settings.handshake_seconds * 1000)),
        # More frequent pings are abuse; the third closes the connection.
        ("grpc.http2.min_ping_interval_without_data_ms", 60_000),
        ("grpc.http2.max_ping_strikes", 2),
    ]
