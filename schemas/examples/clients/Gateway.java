// A gateway's side of attest-worker in Java: send a request, wait for its verdict.
// Needs kafka-clients 3 and a JSON library: `parse` stands for yours.

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public final class Gateway implements AutoCloseable {
  private final KafkaProducer<String, byte[]> producer;
  private final KafkaConsumer<String, byte[]> consumer;
  private final Function<byte[], Map<String, Object>> parse;
  private final Map<Object, CompletableFuture<Map<String, Object>>> waiting =
      new ConcurrentHashMap<>();
  private final Thread reader = new Thread(this::read, "verdicts");

  public Gateway(String bootstrapServers, Function<byte[], Map<String, Object>> parse) {
    this.parse = parse;
    Properties common = new Properties();
    common.put("bootstrap.servers", bootstrapServers);
    common.put("enable.auto.commit", "false");
    // The default partitioner hashes keys by murmur2, as all producers to this topic must.
    producer = new KafkaProducer<>(common, new StringSerializer(), new ByteArraySerializer());
    consumer = new KafkaConsumer<>(common, new StringDeserializer(), new ByteArrayDeserializer());
    // Each instance reads all partitions, as any of them may hold its verdicts; no group is joined.
    var partitions =
        consumer.partitionsFor("attest.verdicts.v1").stream()
            .map(info -> new TopicPartition(info.topic(), info.partition()))
            .toList();
    consumer.assign(partitions);
    // Looked up now: whatever is sent next is answered behind it.
    consumer.endOffsets(partitions).forEach(consumer::seek);
    reader.start();
  }

  /**
   * The verdict on a request. A TimeoutException says nothing: send it again with the same request
   * id, and never take it for accepted.
   *
   * @param keyId standard base64 with padding
   * @param requestId minted by the gateway, never by the app, and part of the message
   */
  public Map<String, Object> verify(String keyId, String requestId, byte[] value)
      throws Exception {
    var answer = new CompletableFuture<Map<String, Object>>();
    waiting.put(requestId, answer);
    try {
      producer.send(
          new ProducerRecord<>("attest.requests.v1", keyId, value),
          (metadata, failure) -> {
            if (failure != null) answer.completeExceptionally(failure);
          });
      return answer.get(10, TimeUnit.SECONDS);
    } finally {
      waiting.remove(requestId);
    }
  }

  /**
   * The key id in an artifact of App Check's contract, to key the record of an assertion by; null
   * where it is none. Not verified here: the worker does.
   *
   * @param artifact base64 in either alphabet
   */
  public static String keyIdOfArtifact(String artifact) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(artifact.replace('-', '+').replace('_', '/'));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
    if (bytes.length != 105 || bytes[0] != 1) return null;
    return Base64.getEncoder().encodeToString(Arrays.copyOfRange(bytes, 1, 33));
  }

  /**
   * The message that has a token for limited use consumed, to be verified with any key.
   *
   * @param requestId minted for each call that is served, and the same again when the answer did
   *     not come; of letters, digits and hyphens
   * @param token as the app showed it: one with anything else in it is none
   */
  public static byte[] consumeMessage(String requestId, String token) {
    if (!token.matches("[A-Za-z0-9_.-]+")) throw new IllegalArgumentException("no token");
    return "{\"requestId\":\"%s\",\"type\":\"consume\",\"token\":\"%s\"}"
        .formatted(requestId, token)
        .getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a verdict on such a message lets the call in: the token was consumed by it. */
  public static boolean isFirstUse(Map<String, Object> verdict, String appId) {
    return "accepted".equals(verdict.get("outcome"))
        && "consume".equals(verdict.get("type"))
        && appId.equals(verdict.get("appId"))
        && !Boolean.TRUE.equals(verdict.get("alreadyConsumed"));
  }

  /** Look at all three: an app of many, and a simulated app's devices are no phones. */
  public static boolean isGenuine(Map<String, Object> verdict, String appId) {
    return "accepted".equals(verdict.get("outcome"))
        && appId.equals(verdict.get("appId"))
        && !Boolean.TRUE.equals(verdict.get("simulated"));
  }

  private void read() {
    try {
      while (true) {
        for (var record : consumer.poll(Duration.ofSeconds(1))) {
          var verdict = parse.apply(record.value());
          var requestId = verdict.get("requestId");
          // A verdict may come more than once, with the same bytes: the first one answers. Whatever
          // else is done with verdicts must be done once for each verdictId.
          var answer = requestId == null ? null : waiting.get(requestId);
          if (answer != null) answer.complete(verdict);
        }
      }
    } catch (WakeupException closing) {
      consumer.close();
    }
  }

  @Override
  public void close() throws InterruptedException {
    producer.close();
    consumer.wakeup();
    reader.join();
  }
}
