# docker build -t tablier:$(cat VERSION) --build-arg VERSION=$(cat VERSION) .
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY constraints.txt LICENSE MANIFEST.in README.md THIRD_PARTY.md VERSION pyproject.toml setup.py ./
COPY clients/python clients/python
COPY core_ext core_ext
COPY service service
RUN python -m venv /opt/tablier \
    && /opt/tablier/bin/pip install --no-cache-dir -c constraints.txt ./clients/python '.[otel]'

FROM python:3.11-slim
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Tablier" \
    org.opencontainers.image.description="A stateless gRPC and REST game-state service" \
    org.opencontainers.image.version="$VERSION" \
    org.opencontainers.image.licenses="Apache-2.0" \
    org.opencontainers.image.source="https://github.com/tablier-project/tablier" \
    org.opencontainers.image.documentation="https://github.com/tablier-project/tablier/tree/main/docs"
COPY LICENSE THIRD_PARTY.md /usr/share/doc/tablier/
COPY deploy/docker/healthcheck.py /usr/local/bin/healthcheck.py
COPY --from=build /opt/tablier /opt/tablier
ENV PATH=/opt/tablier/bin:$PATH PYTHONUNBUFFERED=1
# An unprivileged user, the same as in deploy/kubernetes.
USER 65532:65532
EXPOSE 50051 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["python", "/usr/local/bin/healthcheck.py"]
ENTRYPOINT ["tablier"]
CMD ["serve"]
