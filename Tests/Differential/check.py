"""A second verifier of App Attest objects, to hold the first one against.

Written from Apple's published steps on the libraries cryptography and cbor2, and not from the Swift
code: what both read the same way is likely what Apple means. It is slow, explains nothing, and
judges only what it is handed.

    python3 check.py CASES.json

CASES.json is an array of cases, as DifferentialCase.swift writes them. Standard output gets a JSON
object that gives each case's id the reason for refusal, null for acceptance.
"""

import base64
import datetime
import hashlib
import io
import json
import sys

import cbor2
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

# Apple's steps name no limits; these are the package's own.
ATTESTATION_BYTES_MAX = 16 * 1024
ASSERTION_BYTES_MAX = 4 * 1024
CERTIFICATE_BYTES_MAX = 4 * 1024
CBOR_DEPTH_MAX = 8
CBOR_ITEMS_MAX = 256
BUNDLE_VERSION_BYTES_MAX = 256
CODE_DIRECTORY_HASH_BYTES_MAX = 64

ENVIRONMENTS = {
    b"appattestdevelop": "development",
    b"appattest" + bytes(7): "production",
}
NONCE_EXTENSION = x509.ObjectIdentifier("1.2.840.113635.100.8.2")
APP_EXTENSION = x509.ObjectIdentifier("1.2.840.113635.100.8.5")
ACCESS_CONTROL_EXTENSION = x509.ObjectIdentifier("1.2.840.113635.100.8.6")
SYSTEM_EXTENSION = x509.ObjectIdentifier("1.2.840.113635.100.8.7")
APP_ID_TAG = 1204
PLATFORM_TAG = 1026
ACCESS_CONTROL_TAG = 3
MAC_ACCESS_CONTROL = base64.b64decode(
    "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB"
)


class Refused(Exception):
    """The object is refused; the argument is the reason."""


def require(condition, reason):
    """Refuses unless a condition holds."""
    if not condition:
        raise Refused(reason)


# CBOR: whatever does not come out again as it went in had another form than the shortest one.


def count_items(value, depth=1):
    """The number of items of a value, which has only the types that Apple's objects need."""
    if depth > CBOR_DEPTH_MAX:
        raise ValueError("too deep")
    if isinstance(value, dict):
        if not all(type(key) in (int, str) for key in value):
            raise ValueError("key type")
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list):
        parts = value
    elif type(value) is int:
        if not -(2**64) <= value < 2**64:
            raise ValueError("big number")
        parts = []
    elif type(value) in (bytes, str, bool) or value is None:
        parts = []
    else:
        raise ValueError("type")
    count = 1 + sum(count_items(part, depth + 1) for part in parts)
    if count > CBOR_ITEMS_MAX:
        raise ValueError("too many items")
    return count


def decode_first(data, reason):
    """The first item of the data, and what follows it."""
    try:
        value = cbor2.load(io.BytesIO(data))
        count_items(value)
        encoded = cbor2.dumps(value)
    except (cbor2.CBORError, ValueError, TypeError, RecursionError, OverflowError, MemoryError):
        raise Refused(reason) from None
    require(data.startswith(encoded), reason)
    return value, data[len(encoded) :]


def decode_whole(data, reason):
    """The only item of the data."""
    value, rest = decode_first(data, reason)
    require(not rest, reason)
    return value


# DER: just enough to walk Apple's own extensions, which nothing promises to stay as they are.


def der_elements(data):
    """Pairs of tag number and content; empty where the data is no DER of low lengths."""
    found = []
    while data:
        try:
            number, place = data[0] & 0x1F, 1
            if number == 0x1F:
                number, more = 0, True
                while more:
                    number, more = number << 7 | data[place] & 0x7F, bool(data[place] & 0x80)
                    place += 1
            length, place = data[place], place + 1
            if length & 0x80:
                width = length & 0x7F
                length, place = int.from_bytes(data[place : place + width]), place + width
        except IndexError:
            return []
        if place + length > len(data):
            return []
        found.append((number, data[place : place + length]))
        data = data[place + length :]
    return found


def attribute(extensions, oid, tag):
    """The innermost content of an explicitly tagged entry of one of Apple's extensions."""
    value = extensions.get(oid)
    for _, sequence in der_elements(value) if value else []:
        for number, content in der_elements(sequence):
            if number == tag:
                inner = der_elements(content)
                return inner[0][1] if len(inner) == 1 else None
    return None


# Certificates


def load(data):
    """A certificate, and its extensions by their identifiers; None for an extension that repeats."""
    require(len(data) <= CERTIFICATE_BYTES_MAX, "chain_invalid")
    try:
        certificate = x509.load_der_x509_certificate(data)
        critical = {ext.oid: ext for ext in certificate.extensions if ext.critical}
        extensions = {ext.oid: ext.value for ext in certificate.extensions}
    except x509.DuplicateExtension as duplicate:
        require(duplicate.oid == NONCE_EXTENSION, "chain_invalid")
        return certificate, {}, {NONCE_EXTENSION: None}
    except (ValueError, TypeError, UnsupportedAlgorithm, x509.UnsupportedGeneralNameType):
        raise Refused("chain_invalid") from None
    known = {x509.BasicConstraints.oid, x509.KeyUsage.oid, x509.ExtendedKeyUsage.oid}
    require(set(critical) <= known, "chain_invalid")
    values = {
        oid: value.value if isinstance(value, x509.UnrecognizedExtension) else value
        for oid, value in extensions.items()
    }
    return certificate, extensions, values


def require_authority(extensions, intermediates_below):
    """Refuses an issuer that may not issue."""
    constraints = extensions.get(x509.BasicConstraints.oid)
    require(constraints is not None and constraints.ca, "chain_invalid")
    limit = constraints.path_length
    require(limit is None or limit >= intermediates_below, "chain_invalid")
    usage = extensions.get(x509.KeyUsage.oid)
    require(usage is None or usage.key_cert_sign, "chain_invalid")


def verify_chain(leaf_der, intermediate_der, root_der, instant):
    """The leaf and its extensions, whose chain ends at the root and is valid at the instant."""
    leaf, _, leaf_values = load(leaf_der)
    intermediate, intermediate_extensions, _ = load(intermediate_der)
    root, root_extensions, _ = load(root_der)
    require_authority(intermediate_extensions, 0)
    require_authority(root_extensions, 1)
    for certificate, issuer in ((intermediate, root), (leaf, intermediate)):
        try:
            certificate.verify_directly_issued_by(issuer)
        except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            raise Refused("chain_invalid") from None
    for certificate in (root, intermediate, leaf):
        require(certificate.not_valid_before_utc <= instant, "certificate_not_yet_valid")
        # RFC 5280, 4.1.2.5, counts the last second in; OpenSSL does not, and the package uses it.
        require(instant < certificate.not_valid_after_utc, "certificate_expired")
    return leaf, leaf_values


def leaf_point(leaf):
    """The uncompressed point of the leaf's P-256 key."""
    try:
        key = leaf.public_key()
    except (ValueError, UnsupportedAlgorithm):
        # No key that libraries read: such a certificate can't be in a chain.
        raise Refused("chain_invalid") from None
    require(
        isinstance(key, ec.EllipticCurvePublicKey) and isinstance(key.curve, ec.SECP256R1),
        "leaf_key_not_p256",
    )
    # The library also reads compressed points and spelled-out curves, and forgets that they were.
    info = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    require(info in leaf.tbs_certificate_bytes, "leaf_key_not_p256")
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


# Authenticator data


def parse_extensions(flags, data):
    """Refuses what follows the fixed part, unless it is one map as Apple's or nothing."""
    reason = "malformed_auth_data"
    if not data:
        require(not flags & 0x80, reason)
        return
    values = decode_whole(data, reason)
    require(type(values) is dict and all(type(key) is str for key in values), reason)
    category = values.get("apple_validation_category_01", 0)
    is_integer = type(category) is int and 0 <= category < 2**32
    require(is_integer or type(category) is bytes and len(category) == 4, reason)
    version = values.get("apple_bundle_version_01", "")
    require(type(version) is str and "\0" not in version, reason)
    require(len(version.encode()) <= BUNDLE_VERSION_BYTES_MAX, reason)
    digest = values.get("apple_cd_hash_hash_01", b"")
    require(type(digest) is bytes and len(digest) <= CODE_DIRECTORY_HASH_BYTES_MAX, reason)
    kind = values.get("apple_cd_hash_type_01", b"\2")
    require(type(kind) is bytes and len(kind) == 1, reason)


def parse_attested(data):
    """AAGUID, credential id and COSE key of an attestation's authenticator data."""
    reason = "malformed_auth_data"
    require(len(data) >= 55, reason)
    length = int.from_bytes(data[53:55])
    require(len(data) >= 55 + length, reason)
    key, rest = decode_first(data[55 + length :], reason)
    require(type(key) is dict, reason)
    parse_extensions(data[32], rest)
    return data[37:53], data[55 : 55 + length], key


# The two algorithms


def verify_attestation(case):
    """Apple's steps for attestations, in order."""
    data = base64.b64decode(case["object"])
    require(len(data) <= ATTESTATION_BYTES_MAX, "malformed_cbor")
    value = decode_whole(data, "malformed_cbor")
    malformed = "malformed_attestation"
    require(type(value) is dict and all(type(key) is str for key in value), malformed)
    format, statement = value.get("fmt"), value.get("attStmt")
    auth_data = value.get("authData")
    require(type(format) is str and type(statement) is dict, malformed)
    require(type(auth_data) is bytes and all(type(key) is str for key in statement), malformed)
    require(type(statement.get("receipt", b"")) is bytes, malformed)
    chain = statement.get("x5c")
    require(type(chain) is list and [type(entry) for entry in chain] == [bytes, bytes], malformed)
    require(format == "apple-appattest", "wrong_format")

    instant = datetime.datetime.fromtimestamp(case["at"], datetime.timezone.utc)
    leaf, extensions = verify_chain(*chain, base64.b64decode(case["root"]), instant)
    point = leaf_point(leaf)

    hash = base64.b64decode(case["clientDataHash"])
    nonce = hashlib.sha256(auth_data + hash).digest()
    require(NONCE_EXTENSION in extensions, "nonce_missing")
    content = extensions[NONCE_EXTENSION]
    prefix = bytes.fromhex("3024a1220420")
    is_nonce = content is not None and len(content) == 38 and content.startswith(prefix)
    require(is_nonce, "nonce_malformed")
    require(content == prefix + nonce, "nonce_mismatch")
    key_id = base64.b64decode(case["keyID"])
    require(hashlib.sha256(point).digest() == key_id, "key_id_mismatch")

    require(len(auth_data) >= 37, "malformed_auth_data")
    aaguid, credential_id, key = parse_attested(auth_data)
    app_id = case["appID"].encode()
    require(auth_data[:32] == hashlib.sha256(app_id).digest(), "app_id_mismatch")
    require(auth_data[33:37] == bytes(4), "counter_not_zero")
    require(aaguid in ENVIRONMENTS, "unknown_aaguid")
    require(ENVIRONMENTS[aaguid] in case["environments"], "environment_mismatch")
    require(credential_id == key_id, "credential_id_mismatch")
    expected = {1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:]}
    is_same = key == expected and not any(type(entry) is bool for entry in key.values())
    require(is_same, "cose_key_mismatch")
    named = attribute(extensions, APP_EXTENSION, APP_ID_TAG)
    require(named is None or named == app_id, "leaf_app_id_mismatch")
    if attribute(extensions, SYSTEM_EXTENSION, PLATFORM_TAG) == b"macosx":
        control = attribute(extensions, ACCESS_CONTROL_EXTENSION, ACCESS_CONTROL_TAG)
        require(control == MAC_ACCESS_CONTROL, "acl_mismatch")


def verify_assertion(case):
    """Apple's steps for assertions, in order; the sign count is left to who stores it."""
    data = base64.b64decode(case["object"])
    require(len(data) <= ASSERTION_BYTES_MAX, "malformed_cbor")
    value = decode_whole(data, "malformed_cbor")
    malformed = "malformed_assertion"
    require(type(value) is dict and all(type(key) is str for key in value), malformed)
    signature, auth_data = value.get("signature"), value.get("authenticatorData")
    require(type(signature) is bytes and type(auth_data) is bytes, malformed)

    hash = base64.b64decode(case["clientDataHash"])
    nonce = hashlib.sha256(auth_data + hash).digest()
    point = base64.b64decode(case["publicKey"])
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    try:
        key.verify(signature, nonce, ec.ECDSA(SHA256()))
    except InvalidSignature:
        raise Refused("signature_invalid") from None

    require(len(auth_data) >= 37, "malformed_auth_data")
    parse_extensions(auth_data[32], auth_data[37:])
    app_id = case["appID"].encode()
    require(auth_data[:32] == hashlib.sha256(app_id).digest(), "app_id_mismatch")


def reason(case):
    """Why a case is refused; None when it is accepted."""
    verify = verify_attestation if case["kind"] == "attestation" else verify_assertion
    try:
        verify(case)
    except Refused as refused:
        return refused.args[0]
    return None


def main():
    """Judges the cases of a file."""
    with open(sys.argv[1], encoding="utf-8") as file:
        cases = json.load(file)
    json.dump({case["id"]: reason(case) for case in cases}, sys.stdout)


main()
