// A gateway's side of attest-worker in Node: send a request, wait for its verdict. Needs kafkajs 2.

import { randomUUID } from "node:crypto";
import { Kafka, Partitioners } from "kafkajs";

export async function connect(
  brokers,
  { requests = "attest.requests.v1", verdicts = "attest.verdicts.v1", onVerdict } = {},
) {
  const kafka = new Kafka({ clientId: "gateway", brokers });
  // One key, one partition, one order: all producers must hash as Java clients do. kafkajs 1 had
  // another hash, now called LegacyPartitioner.
  const producer = kafka.producer({
    createPartitioner: Partitioners.DefaultPartitioner,
    idempotent: true,
  });
  // Each instance reads all partitions, as any of them may hold its verdicts: a group of its own.
  const consumer = kafka.consumer({ groupId: `gateway-${randomUUID()}` });
  const admin = kafka.admin();
  await Promise.all([producer.connect(), consumer.connect(), admin.connect()]);

  const waiting = new Map(); // Requests by id: functions that take the verdict.
  const seen = new Set(); // Verdict ids of late, the oldest first.
  const ends = await admin.fetchTopicOffsets(verdicts);
  await admin.disconnect();
  await consumer.subscribe({ topic: verdicts, fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ message }) => {
      const verdict = parseVerdict(message.value);
      if (!verdict) return; // Not a worker's: whoever else writes to this topic must not stop us.
      // A repeat that somebody waits for is as good as the first: it has the same bytes.
      waiting.get(verdict.requestId)?.(verdict);
      if (!onVerdict || seen.has(verdict.verdictId)) return; // A repeat.
      seen.add(verdict.verdictId);
      if (seen.size > 10_000) seen.delete(seen.values().next().value);
      onVerdict(verdict);
    },
  });
  // From the end as it was before the first request.
  for (const { partition, high } of ends) {
    consumer.seek({ topic: verdicts, partition, offset: high });
  }

  return {
    // keyId: standard base64 with padding; requestId: minted here, never by the app, and in value.
    async verify({ keyId, requestId, value, headers }, timeout = 10_000) {
      let timer;
      const answer = new Promise((resolve, reject) => {
        waiting.set(requestId, resolve);
        // May still be decided: send it again with the same request id, never take it for accepted.
        timer = setTimeout(() => reject(new Error(`no verdict on ${requestId}`)), timeout);
      });
      try {
        const message = { key: keyId, value, headers };
        const sent = producer.send({ topic: requests, acks: -1, messages: [message] });
        // Both at once: while a broker is away, the time may be over before the send is.
        return await Promise.race([answer, sent.then(() => answer)]);
      } finally {
        clearTimeout(timer);
        waiting.delete(requestId);
      }
    },
    close: () => Promise.all([producer.disconnect(), consumer.disconnect()]),
  };
}

// The verdict in a record's value, or undefined.
export function parseVerdict(value) {
  try {
    const verdict = JSON.parse(value.toString());
    return typeof verdict?.verdictId === "string" ? verdict : undefined;
  } catch {
    return undefined;
  }
}

// The key id in an artifact of App Check's contract, to key the record of an assertion by; undefined
// where it is none. artifact: base64 in either alphabet. Not verified here: the worker does.
export function keyIdOfArtifact(artifact) {
  const bytes = Buffer.from(artifact, "base64");
  if (bytes.length !== 105 || bytes[0] !== 1) return undefined;
  return bytes.subarray(1, 33).toString("base64");
}

// The message that has a token for limited use consumed, to be verified with any key. requestId:
// minted for each call that is served, and the same again when the answer did not come.
export function consumeMessage(requestId, token) {
  return JSON.stringify({ requestId, type: "consume", token });
}

// Whether a verdict on such a message lets the call in: the token was consumed by it.
export function isFirstUse(verdict, appId) {
  return (
    verdict.outcome === "accepted" && verdict.type === "consume" && verdict.appId === appId &&
    verdict.alreadyConsumed !== true
  );
}

// Look at all three: a worker may serve several apps, and a simulated app's devices are no phones.
export function isGenuine(verdict, appId) {
  return verdict.outcome === "accepted" && verdict.appId === appId && verdict.simulated !== true;
}
