internal import CRdkafka
internal import Wire
internal import Worker

/// A record on its way to librdkafka.
struct ProducedRecord {
    /// The topic it goes to.
    var topic: String
    /// A partition, or nil to let the partitioner choose by the key.
    var partition: Int32?
    /// Milliseconds since 1970, or nil for now.
    var timestampMilliseconds: Int64?
    /// The key; nil is Kafka's null.
    var key: [UInt8]?
    /// The value; nil is Kafka's null.
    var value: [UInt8]?
    /// The headers, in order.
    var headers: [Header]
}

extension KafkaClient {
    /// Puts a record into the client's queue; key, value and headers are copied.
    ///
    /// - Parameters:
    ///   - record: what to produce.
    ///   - number: comes back with the delivery report.
    /// - Returns: `RD_KAFKA_RESP_ERR_NO_ERROR`, or why it was not taken; then no report follows.
    func produce(_ record: ProducedRecord, number: UInt64) -> rd_kafka_resp_err_t {
        var arguments: [rd_kafka_vu_t] = []
        arguments.reserveCapacity(Self.argumentsMax)
        arguments.append(integerArgument(RD_KAFKA_VTYPE_MSGFLAGS, RD_KAFKA_MSG_F_COPY))
        var opaque = rd_kafka_vu_t()
        opaque.vtype = RD_KAFKA_VTYPE_OPAQUE
        opaque.u.ptr = UnsafeMutableRawPointer(bitPattern: UInt(number))
        arguments.append(opaque)
        if let partition = record.partition {
            arguments.append(integerArgument(RD_KAFKA_VTYPE_PARTITION, partition))
        }
        if let timestamp = record.timestampMilliseconds {
            var argument = rd_kafka_vu_t()
            argument.vtype = RD_KAFKA_VTYPE_TIMESTAMP
            argument.u.i64 = timestamp
            arguments.append(argument)
        }
        let headers = ProducedHeaders(record.headers)
        var list = rd_kafka_vu_t()
        list.vtype = RD_KAFKA_VTYPE_HEADERS
        list.u.headers = headers.pointer
        arguments.append(list)
        let code = record.topic.withCString { topic in
            withBytes(record.key) { key in
                withBytes(record.value) { value in
                    var name = rd_kafka_vu_t()
                    name.vtype = RD_KAFKA_VTYPE_TOPIC
                    name.u.cstr = topic
                    arguments.append(name)
                    arguments.append(bytesArgument(RD_KAFKA_VTYPE_KEY, key))
                    arguments.append(bytesArgument(RD_KAFKA_VTYPE_VALUE, value))
                    return produce(arguments)
                }
            }
        }
        // librdkafka owns the headers from here on, but only if it took the record.
        if code == RD_KAFKA_RESP_ERR_NO_ERROR { headers.release() }
        return code
    }

    /// Flags, number, partition, timestamp, headers, topic, key and value.
    private static let argumentsMax = 8

    private func produce(_ arguments: [rd_kafka_vu_t]) -> rd_kafka_resp_err_t {
        guard let error = rd_kafka_produceva(handle, arguments, arguments.count) else {
            return RD_KAFKA_RESP_ERR_NO_ERROR
        }
        defer { rd_kafka_error_destroy(error) }
        return rd_kafka_error_code(error)
    }
}

/// Owner of a list of headers, until a produced record takes it over.
private struct ProducedHeaders: ~Copyable {
    let pointer: OpaquePointer

    init(_ headers: [Header]) {
        pointer = rd_kafka_headers_new(headers.count)
        for header in headers {
            // Copies; its only error is a list that belongs to a message already.
            _ = header.name.withCString { name in
                withBytes(header.value) { value in
                    rd_kafka_header_add(
                        pointer, name, -1, value?.baseAddress, value?.count ?? 0)
                }
            }
        }
    }

    deinit {
        rd_kafka_headers_destroy(pointer)
    }

    consuming func release() {
        discard self
    }
}

private func integerArgument(_ type: rd_kafka_vtype_t, _ value: Int32) -> rd_kafka_vu_t {
    var argument = rd_kafka_vu_t()
    argument.vtype = type
    argument.u.i32 = value
    return argument
}

private func bytesArgument(
    _ type: rd_kafka_vtype_t, _ bytes: UnsafeRawBufferPointer?
) -> rd_kafka_vu_t {
    var argument = rd_kafka_vu_t()
    argument.vtype = type
    argument.u.mem = .init(
        ptr: UnsafeMutableRawPointer(mutating: bytes?.baseAddress), size: bytes?.count ?? 0)
    return argument
}

/// Lends bytes to C: nil as a null pointer, and an empty array as a pointer that is not null, as
/// Kafka tells the two apart.
private func withBytes<Result>(
    _ bytes: [UInt8]?, _ body: (UnsafeRawBufferPointer?) -> Result
) -> Result {
    guard let bytes else { return body(nil) }
    guard bytes.isEmpty else { return bytes.withUnsafeBytes { body($0) } }
    return withUnsafeBytes(of: UInt8(0)) { body(UnsafeRawBufferPointer(rebasing: $0.prefix(0))) }
}
