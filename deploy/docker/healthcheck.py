"""The health check of the image: asks the service in this container whether it is ready.

Reads the same environment variables as the service, so set its ports, address and certificates with
variables, not with flags.
"""

import os
import socket
import ssl
import sys
from http.client import HTTPConnection, HTTPException, HTTPSConnection

SECONDS = 4


def main() -> None:
    bound = os.environ.get("TABLIER_HOST", "127.0.0.1")
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(bound, bound)
    port = int(os.environ.get("TABLIER_HTTP_PORT", "8080"))
    try:
        if os.environ.get("TABLIER_TLS_CLIENT_CA_FILE"):
            # Without a certificate of a client, nothing can be asked: the port must be open.
            socket.create_connection((host, port), SECONDS).close()
            return
        if os.environ.get("TABLIER_TLS_CERT_FILE"):
            # The certificate is for other names than this one, and the connection stays in here.
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            connection: HTTPConnection = HTTPSConnection(
                host, port, timeout=SECONDS, context=context
            )
        else:
            connection = HTTPConnection(host, port, timeout=SECONDS)
        connection.request("GET", "/readyz")
        status = connection.getresponse().status
    except (OSError, HTTPException) as error:
        sys.exit(f"the service does not answer: {error}")
    if status != 200:
        sys.exit(f"the service is not ready: {status}")


if __name__ == "__main__":
    main()
