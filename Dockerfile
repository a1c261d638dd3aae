# docker build -t tablier:0.1.0 .
FROM python:3.11-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN python -m venv /opt/tablier \
    && /opt/tablier/bin/pip install --no-cache-dir -c constraints.txt ./clients/python '.[otel]'

FROM python:3.11-slim
COPY --from=build /opt/tablier /opt/tablier
ENV PATH=/opt/tablier/bin:$PATH PYTHONUNBUFFERED=1
# An unprivileged user, the same as in deploy/kubernetes.
USER 65532:65532
EXPOSE 50051 8080
ENTRYPOINT ["tablier"]
CMD ["serve"]
