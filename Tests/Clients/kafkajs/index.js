// Stands in for kafkajs where there is no npm: a broker that is away, so that a send takes a while
// and then fails.
const nothing = async () => {};
const client = { connect: nothing, disconnect: nothing };

exports.Partitioners = { DefaultPartitioner: undefined };
exports.Kafka = class {
  producer() {
    const send = () =>
      new Promise((_, reject) => setTimeout(() => reject(new Error("no broker")), 500));
    return { ...client, send };
  }

  consumer() {
    return { ...client, subscribe: nothing, run: nothing, seek() {} };
  }

  admin() {
    return { ...client, fetchTopicOffsets: async () => [] };
  }
};
