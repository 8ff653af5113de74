-- One turn of inbox.sh: fills :shape with a retention's worth of days, then goes on for as long
-- again, at first without and then with what keeps it small: pruning, and a VACUUM a day.
-- Batches of 200 are looked up, inserted and committed, as the worker does it; verdicts have 400
-- bytes.
--
-- Variables: shape ("one_table", "days"), daily (rows a day), retention (days).
\set QUIET 1
\set ON_ERROR_STOP 1
\pset tuples_only on
SET enable_seqscan = off;
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS bench CASCADE;
CREATE SCHEMA bench;
SET search_path = bench, public;
CREATE EXTENSION IF NOT EXISTS pgstattuple SCHEMA public;

SELECT :'shape' = 'days' AS is_partitioned \gset
\if :is_partitioned
CREATE TABLE inbox (
    request uuid NOT NULL, decided_on date NOT NULL, content_digest bytea NOT NULL,
    verdict bytea NOT NULL, PRIMARY KEY (request, decided_on)
) PARTITION BY RANGE (decided_on);
CREATE PROCEDURE begin_day(day int, retention int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE inbox_%s PARTITION OF inbox FOR VALUES FROM (%L) TO (%L)',
        day, date '2026-01-01' + day, date '2026-01-01' + day + 1);
END $$;
CREATE PROCEDURE prune(day int, retention int) LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('DROP TABLE IF EXISTS inbox_%s', day - retention - 1);
END $$;
\else
CREATE TABLE inbox (
    request uuid NOT NULL, decided_on date NOT NULL, content_digest bytea NOT NULL,
    verdict bytea NOT NULL, PRIMARY KEY (request)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.1);
CREATE INDEX inbox_decided_on_idx ON inbox (decided_on);
CREATE PROCEDURE begin_day(day int, retention int) LANGUAGE sql AS '';
CREATE PROCEDURE prune(day int, retention int) LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM inbox WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM inbox WHERE decided_on < date '2026-01-01' + day - retention
        ORDER BY decided_on LIMIT 1000 FOR UPDATE SKIP LOCKED));
END $$;
\endif

-- Inserts a day's rows; prunes after every fifth batch, that is as many rows as came in.
CREATE PROCEDURE one_day(day int, daily int, retention int, is_pruned bool) LANGUAGE plpgsql AS $$
DECLARE
    ids uuid[];
    digest bytea := sha256('content');
    verdict bytea := convert_to(repeat('verdict ', 50), 'UTF8');
BEGIN
    CALL begin_day(day, retention);
    COMMIT;
    FOR batch IN 1..daily / 200 LOOP
        ids := ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 200));
        PERFORM 1 FROM inbox WHERE request = ANY (ids);
        INSERT INTO inbox (request, decided_on, content_digest, verdict)
            SELECT id, date '2026-01-01' + day, digest, verdict FROM unnest(ids) AS id ORDER BY id;
        COMMIT;
        IF is_pruned AND batch % 5 = 0 THEN
            CALL prune(day, retention);
            COMMIT;
        END IF;
    END LOOP;
END $$;
CREATE FUNCTION report(phase text, began timestamptz, inserted bigint) RETURNS text
LANGUAGE sql AS $$
    SELECT format('%-42s %8s rows/s  %9s rows  B/row: table %4s, primary key %5s, date %4s',
        phase, round(inserted / extract(epoch FROM clock_timestamp() - began)),
        (SELECT count(*) FROM inbox),
        round(sum(pg_table_size(relid)) / (SELECT count(*) FROM inbox)),
        round(sum((SELECT sum(pg_relation_size(indexrelid)) FROM pg_index
            WHERE indrelid = relid AND indisprimary)) / (SELECT count(*) FROM inbox), 1),
        round(sum((SELECT coalesce(sum(pg_relation_size(indexrelid)), 0) FROM pg_index
            WHERE indrelid = relid AND NOT indisprimary)) / (SELECT count(*) FROM inbox), 1))
    FROM pg_stat_user_tables WHERE schemaname = 'bench'
$$;

SELECT clock_timestamp() AS began \gset
SELECT format('CALL one_day(%s, %s, %s, false)', day, :daily, :retention)
FROM generate_series(1, :retention) AS day \gexec
SELECT report(:'shape' || ', filling', :'began', :retention * :daily);
CHECKPOINT;
SELECT clock_timestamp() AS began \gset
SELECT format('CALL one_day(%s, %s, %s, false)', day, :daily, :retention)
FROM generate_series(:retention + 1, :retention + 2) AS day \gexec
SELECT report(:'shape' || ', full, not pruned', :'began', 2 * :daily);
CHECKPOINT;
SELECT clock_timestamp() AS began \gset
SELECT step FROM generate_series(:retention + 3, 3 * :retention) AS day,
    LATERAL (VALUES (1, format('CALL one_day(%s, %s, %s, true)', day, :daily, :retention)),
        (2, 'VACUUM inbox')) AS steps (place, step)
ORDER BY day, place \gexec
SELECT report(
    :'shape' || ', pruned and vacuumed, 2 turns', :'began', (2 * :retention - 2) * :daily);
VACUUM inbox;
\if :is_partitioned
INSERT INTO inbox SELECT request, decided_on + 1, content_digest, verdict
    FROM inbox WHERE decided_on = date '2026-01-01' + 3 * :retention - 1 LIMIT 1;
SELECT 'days: the same request on two days is stored ' || count(*) || ' times'
FROM inbox GROUP BY request HAVING count(*) > 1;
\else
SELECT format('one_table, VACUUM done: %s dead rows, %s %% of it free, primary key %s %% full',
    dead_tuple_count, round(free_percent), round(avg_leaf_density))
FROM pgstattuple('inbox'), pgstatindex('inbox_pkey');
\endif
