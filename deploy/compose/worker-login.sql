-- The role that the workers log in with; idempotent. After schemas/roles.sql, as its owner, by psql,
-- which reads the password from the file of the secret.
\set password `cat "${WORKER_PASSWORD_FILE:-/run/secrets/worker-password}"`
SELECT 'CREATE ROLE attest_worker_1 LOGIN'
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'attest_worker_1') \gexec
ALTER ROLE attest_worker_1 LOGIN PASSWORD :'password';
GRANT attest_worker TO attest_worker_1;
