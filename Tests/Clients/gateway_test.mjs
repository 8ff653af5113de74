// A gateway whose broker is away for longer than a request waits: the request fails in time, and
// the process goes on.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, consumeMessage, isFirstUse, parseVerdict } from "./gateway.mjs";

test("the time is over before the send is", async () => {
  const gateway = await connect(["broker:9092"]);
  const request = { keyId: "k", requestId: "r-1", value: "{}" };
  await assert.rejects(gateway.verify(request, 50), /no verdict on r-1/);
  await sleep(700); // The send fails now, and nobody waits for it any more.
});

test("the send fails before the time is over", async () => {
  const gateway = await connect(["broker:9092"]);
  const request = { keyId: "k", requestId: "r-2", value: "{}" };
  await assert.rejects(gateway.verify(request, 5_000), /no broker/);
});

test("what holds no verdict is no verdict", () => {
  const values = ["not json", "7", "null", '{"verdictId":7}', "[]"].map((text) => Buffer.from(text));
  for (const value of [...values, null]) assert.equal(parseVerdict(value), undefined);
  assert.equal(parseVerdict(Buffer.from('{"verdictId":"v"}')).verdictId, "v");
});

test("a token lets a call in once", () => {
  const message = JSON.parse(consumeMessage("r-1", "a.b.c"));
  assert.deepEqual(message, { requestId: "r-1", type: "consume", token: "a.b.c" });
  const first = { outcome: "accepted", type: "consume", appId: "T.a" };
  assert.equal(isFirstUse(first, "T.a"), true);
  for (const change of [
    { alreadyConsumed: true }, { outcome: "rejected" }, { type: "assertion" }, { appId: "T.b" },
  ]) {
    assert.equal(isFirstUse({ ...first, ...change }, "T.a"), false);
  }
});
