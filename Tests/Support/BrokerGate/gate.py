#!/usr/bin/env python3
"""A gate before a Kafka broker that has neither TLS nor SASL: it ends TLS, asks for certificates,
checks SASL as a broker does, and passes everything else through.

    gate.py UPSTREAM_PORT [--tls CERTIFICATE KEY] [--client-ca CA] [--sasl FILE [--strict-nonce]]
            [--drop]

Prints the port it listens on, then a line for each connection: `peer CN`, `sasl MECHANISM NAME` or
`refused MECHANISM`. The line `cut` on standard input cuts all connections; its end is the gate's.
FILE is read at each login: {"users": {"name": "password"}, "tokens": ["..."]}.
librdkafka before 2.6.1 repeats its own nonce in SCRAM's last message (confluentinc/librdkafka 4895):
brokers of Kafka 3 look at the nonce's end alone, those of Kafka 4 at all of it, as with
--strict-nonce here.

With --drop each connection ends at its first request, as it may look to a client whose certificate
a broker refuses in TLS 1.3.
Brokers tell clients where they are, so that address is changed to the gate's on its way.

Sources: Kafka protocol guide (ApiVersions, SaslHandshake, SaslAuthenticate), RFC 4616 (PLAIN),
RFC 5802 and 7677 (SCRAM), RFC 7628 (OAUTHBEARER).
"""
import argparse
import asyncio
import base64
import hashlib
import hmac
import json
import secrets
import ssl
import struct
import sys

METADATA, COORDINATOR, HANDSHAKE, VERSIONS, AUTHENTICATE = 3, 10, 17, 18, 36
REFUSED, WRONG_MECHANISM = 58, 33
MECHANISMS = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"]
HOST, OWN_HOST = b"127.0.0.1", b"localhost"
FRAME_BYTES_MAX = 64 << 20

options = argparse.ArgumentParser()
options.add_argument("upstream", type=int)
options.add_argument("--tls", nargs=2)
options.add_argument("--client-ca")
options.add_argument("--sasl")
options.add_argument("--strict-nonce", action="store_true")
options.add_argument("--drop", action="store_true")
options = options.parse_args()


def say(*words):
    print(*words, flush=True)


def text(value):
    return struct.pack(">h", len(value)) + value.encode()


async def frame(reader):
    size = struct.unpack(">i", await reader.readexactly(4))[0]
    if not 0 <= size <= FRAME_BYTES_MAX:
        raise ConnectionError("a frame of an impossible size")
    return await reader.readexactly(size)


class Login:
    """One SASL exchange; `step` answers each message of the client's, or raises ValueError."""

    def __init__(self, mechanism):
        self.mechanism, self.name, self.is_done, self.first = mechanism, "", False, None
        with open(options.sasl, encoding="utf-8") as file:
            known = json.load(file)
        self.users, self.tokens = known.get("users", {}), known.get("tokens", [])

    def step(self, message):
        if self.mechanism == "PLAIN":
            return self.plain(message)
        if self.mechanism == "OAUTHBEARER":
            return self.bearer(message)
        return self.scram_first(message) if self.first is None else self.scram_final(message)

    def plain(self, message):
        _, self.name, password = message.decode().split("\0")
        self.require(self.users.get(self.name) == password)
        return b""

    def bearer(self, message):
        header, *pairs = message.decode().split("\x01")
        self.require(header.startswith("n,"))
        values = dict(pair.split("=", 1) for pair in pairs if pair)
        kind, token = values["auth"].split(" ", 1)
        self.require(kind == "Bearer" and token in self.tokens)
        self.name = "of a token"
        return b""

    def scram_first(self, message):
        header, bare = message.decode().split(",,", 1)
        self.require(header == "n")
        fields = dict(part.split("=", 1) for part in bare.split(","))
        self.name = fields["n"].replace("=2C", ",").replace("=3D", "=")
        self.require(self.name in self.users)
        self.salt, self.rounds = secrets.token_bytes(16), 4096
        self.nonce = fields["r"] + secrets.token_hex(8)
        salt = base64.b64encode(self.salt).decode()
        self.first = bare, f"r={self.nonce},s={salt},i={self.rounds}"
        return self.first[1].encode()

    def scram_final(self, message):
        hash_name = "sha" + self.mechanism[-3:]
        without_proof, proof = message.decode().rsplit(",p=", 1)
        channel, nonce = without_proof.split(",r=", 1)
        self.require(channel == "c=biws")
        self.require(nonce == self.nonce if options.strict_nonce else nonce.endswith(self.nonce))
        salted = hashlib.pbkdf2_hmac(
            hash_name, self.users[self.name].encode(), self.salt, self.rounds)
        signed = ",".join([*self.first, without_proof]).encode()
        stored = hashlib.new(hash_name, hmac.digest(salted, b"Client Key", hash_name)).digest()
        signature = hmac.digest(stored, signed, hash_name)
        key = bytes(a ^ b for a, b in zip(base64.b64decode(proof), signature))
        self.require(hashlib.new(hash_name, key).digest() == stored)
        self.is_done = True
        server = hmac.digest(hmac.digest(salted, b"Server Key", hash_name), signed, hash_name)
        return b"v=" + base64.b64encode(server)

    def require(self, holds):
        if not holds:
            raise ValueError("refused")
        if not self.mechanism.startswith("SCRAM"):
            self.is_done = True


class Connection:
    def __init__(self, reader, writer, port):
        self.reader, self.writer, self.port = reader, writer, port
        self.asked, self.login = {}, None

    def cut(self):
        self.writer.transport.abort()

    async def serve(self):
        peer = self.writer.get_extra_info("peercert")
        if peer:
            say("peer", dict(pair[0] for pair in peer["subject"])["commonName"])
        self.up_reader, self.up_writer = await asyncio.open_connection(
            HOST.decode(), options.upstream)
        tasks = [asyncio.create_task(self.requests()), asyncio.create_task(self.answers())]
        _, rest = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in rest:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.writer.close()
        self.up_writer.close()

    async def requests(self):
        while True:
            request = await frame(self.reader)
            if options.drop:
                raise ConnectionError("dropped")
            kind, version, number = struct.unpack_from(">hhi", request)
            if options.sasl and kind in (HANDSHAKE, AUTHENTICATE):
                body = request[10 + max(0, struct.unpack_from(">h", request, 8)[0]) :]
                await (self.handshake if kind == HANDSHAKE else self.authenticate)(number, body)
                continue
            if options.sasl and kind != VERSIONS and not (self.login and self.login.is_done):
                raise ConnectionError("not logged in")
            self.asked[number] = kind, version
            self.up_writer.write(struct.pack(">i", len(request)) + request)
            await self.up_writer.drain()

    async def answers(self):
        while True:
            answer = await frame(self.up_reader)
            number = struct.unpack_from(">i", answer)[0]
            kind, version = self.asked.pop(number)
            if kind in (METADATA, COORDINATOR):
                answer = answer.replace(
                    HOST + struct.pack(">i", options.upstream),
                    OWN_HOST + struct.pack(">i", self.port))
            if kind == VERSIONS and options.sasl:
                answer = with_sasl(answer)
            await self.answer(answer)

    async def answer(self, answer):
        self.writer.write(struct.pack(">i", len(answer)) + answer)
        await self.writer.drain()

    async def handshake(self, number, body):
        mechanism = body[2:].decode()
        known = mechanism in MECHANISMS
        names = b"".join(text(name) for name in MECHANISMS)
        await self.answer(
            struct.pack(">ihi", number, 0 if known else WRONG_MECHANISM, len(MECHANISMS)) + names)
        if not known:
            raise ConnectionError(f"no such mechanism: {mechanism}")
        self.login = Login(mechanism)

    async def authenticate(self, number, body):
        size = struct.unpack_from(">i", body)[0]
        try:
            reply = self.login.step(body[4 : 4 + size])
        except (ValueError, KeyError):
            say("refused", self.login.mechanism)
            await self.answer(
                struct.pack(">ih", number, REFUSED) + text("wrong credentials")
                + struct.pack(">i", 0))
            raise ConnectionError("refused") from None
        if self.login.is_done:
            say("sasl", self.login.mechanism, self.login.name)
        await self.answer(
            struct.pack(">ihh", number, 0, -1) + struct.pack(">i", len(reply)) + reply)


def with_sasl(answer):
    """An answer to ApiVersions, of the first three versions, with SASL's requests added."""
    head, count = answer[:6], struct.unpack_from(">i", answer, 6)[0]
    end = 10 + 6 * count
    added = struct.pack(">hhh", HANDSHAKE, 0, 1) + struct.pack(">hhh", AUTHENTICATE, 0, 0)
    return head + struct.pack(">i", count + 2) + answer[10:end] + added + answer[end:]


async def main():
    context = None
    if options.tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*options.tls)
        if options.client_ca:
            context.load_verify_locations(options.client_ca)
            context.verify_mode = ssl.CERT_REQUIRED
    port, connections = 0, set()

    async def connected(reader, writer):
        connection = Connection(reader, writer, port)
        connections.add(connection)
        try:
            await connection.serve()
        except (OSError, EOFError, struct.error) as error:
            say("closed", type(error).__name__)
        finally:
            connections.discard(connection)

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    say(port)
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with server:
        while line := await lines.readline():
            if line.strip() == b"cut":
                for connection in list(connections):
                    connection.cut()


asyncio.run(main())
