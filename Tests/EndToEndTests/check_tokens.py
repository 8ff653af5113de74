"""Verifies tokens as a service would that has never heard of attest-worker: with PyJWT.

    python3 check_tokens.py CASE.json

CASE has `jwks`, `issuer`, `audience`, `now` (seconds) and `tokens`. Standard output gets one object:
`valid`, for each token its header and claims; `refused`, how many tokens with one change were.
"""

import base64
import hashlib
import json
import sys

import jwt

with open(sys.argv[1]) as file:
    case = json.load(file)
keys = jwt.PyJWKSet.from_dict(case["jwks"])
by_id = {key.key_id: key for key in keys.keys}


def thumbprint(member):
    """RFC 7638, with the members of each kind of key as the RFC names them."""
    names = {"EC": ["crv", "kty", "x", "y"], "RSA": ["e", "kty", "n"]}[member["kty"]]
    text = json.dumps({name: member[name] for name in names}, separators=(",", ":"), sort_keys=True)
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def verified(token, audience=case["audience"], issuer=case["issuer"]):
    header = jwt.get_unverified_header(token)
    # The clock is the case's: expiry is looked at below.
    claims = jwt.decode(
        token, by_id[header["kid"]].key, algorithms=["ES256", "RS256"], audience=audience,
        issuer=issuer, options={
            "require": ["iss", "sub", "aud", "exp", "iat"], "verify_exp": False,
            "verify_iat": False,
        })
    assert header["typ"] == "JWT" and isinstance(claims["aud"], list)
    assert claims["iat"] <= case["now"] < claims["exp"]
    return {"alg": header["alg"], "kid": header["kid"], "claims": claims}


for member in case["jwks"]["keys"]:
    assert member["kid"] == thumbprint(member), member
    assert member["use"] == "sig" and not {"d", "p", "q"} & set(member), member
refused = 0
for token in case["tokens"]:
    head, body, signature = token.split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    other = base64.urlsafe_b64encode(json.dumps(claims | {"sub": "other"}).encode()).decode()
    for changed, kwargs in [
        (f"{head}.{other.rstrip('=')}.{signature}", {}), (token, {"audience": "nobody"}),
        (token, {"issuer": "https://other.example"}),
    ]:
        try:
            verified(changed, **kwargs)
        except jwt.InvalidTokenError:
            refused += 1
print(json.dumps({"valid": [verified(token) for token in case["tokens"]], "refused": refused}))
