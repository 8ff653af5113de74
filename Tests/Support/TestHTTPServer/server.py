"""An HTTP server for tests, which answers as it is told and keeps what it got.

    python3 server.py FOLDER [CERTIFICATE KEY]

Prints its port. FOLDER/mode holds a word, looked at for each request; FOLDER/requests.jsonl gets an
object a request. With a certificate it speaks TLS. Ends when its standard input does.
"""

import http.server
import json
import os
import pathlib
import ssl
import sys
import threading
import time

FOLDER = pathlib.Path(sys.argv[1])
LOCK = threading.Lock()
SLOW_SECONDS = 60


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.handle_request()

    def do_POST(self):
        self.handle_request()

    def handle_request(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        mode = (FOLDER / "mode").read_text()
        self.keep(body, mode)
        if mode == "slow":
            time.sleep(SLOW_SECONDS)
        if mode == "hang-up":
            self.close_connection = True
            return
        status, text = {
            "refuse": (503, b"no"),
            "malformed": (400, b"no"),
            "reject": (200, b'{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'),
            "large": (200, b"x" * (2 << 20)),
            "redirect": (302, b""),
        }.get(mode, (200, b"{}"))
        self.send_response(status)
        if mode == "redirect":
            self.send_header("location", "/elsewhere")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def keep(self, body, mode):
        line = json.dumps({
            "method": self.command, "path": self.path, "mode": mode,
            "headers": {name.lower(): value for name, value in self.headers.items()},
            "body": body.decode(), "clientPort": self.client_address[1],
        })
        with LOCK, open(FOLDER / "requests.jsonl", "a") as file:
            file.write(line + "\n")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if len(sys.argv) > 2:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.buffer.read()
os._exit(0)
