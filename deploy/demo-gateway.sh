#!/usr/bin/env bash
# What a phone with Firebase's App Check does, with curl in its place: embedded broker, temporary
# PostgreSQL, worker, gateway. Every line that is shown is the line that runs. Ends with 0 only if all
# answers are right.
#
#   deploy/demo.sh --gateway [--keep]    --keep: everything stays up until Ctrl-C
set -euo pipefail
# shellcheck source=deploy/lib.sh
. "$(dirname "$0")/lib.sh"

program="${1:?the path of attest-worker comes first}"
shift
keep=
for argument in "$@"; do
    case "$argument" in
        --keep) keep=1 ;;
        *) die "there is no flag \"$argument\"; there is --keep" ;;
    esac
done
for tool in curl openssl; do command -v "$tool" >/dev/null || die "$tool is missing: deploy/install-dependencies.sh installs it"; done

folder="$(mktemp -d)"
worker=
gateway=
finish() {
    if [ -n "$gateway" ]; then kill "$gateway" 2>/dev/null || true; fi
    # The worker ends with its standard input, which nobody else holds open.
    exec 3>&- || true
    if [ -n "$worker" ]; then wait "$worker" 2>/dev/null || true; fi
    rm -rf "$folder"
}
trap finish EXIT

say "secrets, settings, a broker, a database, a worker"
umask 077
cd "$folder"
openssl rand -base64 48 >workers.secret
openssl rand -base64 24 >api.key
openssl rand -hex 24 >backend.token
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out token.pem 2>/dev/null
"$program" device root >root.pem
app='{ appId: "SIMULATED1.com.example.app", resources: ["projects/123/apps/1:123:ios:abc"],'
cat >worker.json5 <<SETTINGS
{
  kafka: { topics: { replies: "attest.replies.v1" } },
  challenges: { secretFile: "$folder/workers.secret" },
  artifacts: { secretFile: "$folder/workers.secret" },
  tokens: { issuer: "https://attest.example", keyFiles: ["$folder/token.pem"] },
  apps: [ $app
    simulated: true, trustAnchorFile: "$folder/root.pem", challenge: "signed",
    tokens: { subject: "1:123:ios:abc", audience: ["projects/123"] } } ],
  log: { level: "warning", format: "json" },
}
SETTINGS
mkfifo life
exec 3<>life
"$program" run --embedded --config worker.json5 <life 3>&- >announced 2>worker.log &
worker=$!
await() {
    for _ in $(seq 600); do
        if eval "$2"; then return; fi
        kill -0 "$worker" 2>/dev/null || { cat worker.log >&2; die "the worker has ended"; }
        sleep 0.1
    done
    cat worker.log gateway.log >&2 || true
    die "$1 did not come up within a minute"
}
await "the worker" '[ -s announced ]'
brokers="$(sed 's/.*"bootstrapServers":"\([^"]*\)".*/\1/' announced)"

say "a gateway, with settings of its own and none of the workers' secrets"
cat >gateway.json5 <<SETTINGS
{
  kafka: { bootstrapServers: ["${brokers//,/\", \"}"], topics: { replies: "attest.replies.v1" } },
  gateway: { listen: "127.0.0.1:0", replyPartition: 0,
    apiKeysFile: "$folder/api.key", bearerTokensFile: "$folder/backend.token" },
  apps: [ $app } ],
  operations: { listen: "off" }, log: { format: "json" },
}
SETTINGS
"$program" gateway --config gateway.json5 3>&- 2>gateway.log &
gateway=$!
await "the gateway" 'grep -q replies_read gateway.log && grep -q gateway_listening gateway.log'
cat gateway.json5

URL="http://$(sed -n '/gateway_listening/s/.*"address":"\([^"]*\)".*/\1/p' gateway.log)"
APP="projects/123/apps/1:123:ios:abc"
KEY="$(cat api.key)"
BACKEND="$(cat backend.token)"
export URL APP KEY BACKEND
# One member of the JSON in a file.
member() { sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/" "$2"; }
attest-worker() { "$program" "$@"; }

wrong=0
# step WHAT STATUS PATTERN COMMAND: the command leaves its answer in the file `answer`.
step() {
    printf '\n# %s\n$ %s\n' "$1" "$4"
    local status
    status="$(eval "$4")" || status="none"
    printf '%s  %s\n' "$status" "$(cut -c1-300 answer 2>/dev/null)"
    if [ "$status" != "$2" ] || ! grep -Eq "$3" answer; then
        printf '*** expected %s and %s\n' "$2" "$3"
        wrong=$((wrong + 1))
    fi
}
post="curl -sS -o answer -w '%{http_code}' -X POST -H \"X-Goog-Api-Key: \$KEY\""
json="-H 'Content-Type: application/json'"
challenge="$post \"\$URL/v1/\$APP:generateAppAttestChallenge\""

say "the exchange; the shell's variables are URL=$URL APP=$APP KEY=… BACKEND=…"
step "A challenge, good for one use" 200 '"challenge":"[^"]+","ttl":"300s"' "$challenge"
step "The phone attests its key over it, and gets an artifact and a token" 200 \
    '^\{"artifact":"[^"]+","appCheckToken":\{"token":"[^".]+\.[^".]+\.[^".]+","ttl":"3600s"\}\}$' \
    "attest-worker device attestation --challenge=\"\$(member challenge answer)\" >body; \\
  $post $json --data @body \"\$URL/v1/\$APP:exchangeAppAttestAttestation\""
member artifact answer >artifact
step "The same once more: the challenge was used" 403 'CHALLENGE_USED' \
    "$post $json --data @body \"\$URL/v1/\$APP:exchangeAppAttestAttestation\""
step "An hour later: another challenge" 200 '"challenge"' "$challenge"
step "An assertion with the artifact gets a fresh token" 200 '^\{"token":"[^"]+","ttl":"3600s"\}$' \
    "attest-worker device assertion --count=1 --artifact=\"\$(cat artifact)\" \\
    --challenge=\"\$(member challenge answer)\" >body; \\
  $post $json -H 'Idempotency-Key: 7d4c' --data @body \"\$URL/v1/\$APP:exchangeAppAttestAssertion\""
cp answer first
step "Repeated with its idempotency key, it gets the same answer, byte for byte" 200 '"token"' \
    "$post $json -H 'Idempotency-Key: 7d4c' --data @body \"\$URL/v1/\$APP:exchangeAppAttestAssertion\""
cmp -s first answer || { printf '*** the answers differ\n'; wrong=$((wrong + 1)); }
step "For a precious call: a challenge" 200 '"challenge"' "$challenge"
step "and a token for limited use, which lives five minutes" 200 '"ttl":"300s"' \
    "attest-worker device assertion --count=2 --limited-use --artifact=\"\$(cat artifact)\" \\
    --challenge=\"\$(member challenge answer)\" >body; \\
  $post $json --data @body \"\$URL/v1/\$APP:exchangeAppAttestAssertion\""
printf '{"appCheckToken":"%s"}' "$(member token answer)" >token
verify="curl -sS -o answer -w '%{http_code}' -X POST -H \"Authorization: Bearer \$BACKEND\" $json --data @token \\
  \"\$URL/v1beta/projects/123:verifyAppCheckToken\""
step "The backend that is shown it consumes it" 200 '^\{\}$' "$verify"
step "Shown to a backend again, it is spent" 200 '"alreadyConsumed":true' "$verify"
step "A body that is none" 400 'INVALID_ARGUMENT' \
    "$post $json --data nonsense \"\$URL/v1/\$APP:exchangeAppAttestAssertion\""
step "An app that nobody has" 404 'NOT_FOUND' "$post \"\$URL/v1/\${APP}d:generateAppAttestChallenge\""
step "A caller without a key" 401 'UNAUTHENTICATED' \
    "curl -sS -o answer -w '%{http_code}' -X POST \"\$URL/v1/\$APP:generateAppAttestChallenge\""
say "the keys that backends check tokens with"
"$program" jwks --config worker.json5 --kafka.bootstrapServers="$brokers" || wrong=$((wrong + 1))

if [ "$wrong" -gt 0 ]; then die "$wrong answers were not as they must be"; fi
say "all answers were right"
if [ -n "$keep" ]; then
    cat <<GUIDE
Everything keeps running. In another terminal:

  cd $folder; export URL=$URL APP=$APP KEY=\$(cat api.key) BACKEND=\$(cat backend.token)
  PATH=$(dirname "$program"):\$PATH
  member() { sed "s/.*\"\$1\":\"\([^\"]*\)\".*/\1/" "\$2"; }

and the lines above, for another phone with --phone=2. Ctrl-C ends it and deletes everything.
GUIDE
    trap 'exit 0' INT TERM
    while kill -0 "$gateway" 2>/dev/null; do sleep 1; done
    die "the gateway has ended"
fi
