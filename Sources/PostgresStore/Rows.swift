internal import CPQ
internal import LibCrypto
internal import Worker

/// A statement's result: owns the `PGresult`.
///
/// All values are in binary format.
final class Rows {
    private let handle: OpaquePointer

    /// Takes over a result that is not an error.
    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        PQclear(handle)
    }

    /// How many rows came back.
    var count: Int { Int(PQntuples(handle)) }

    /// What the server says it did: "COMMIT", "UPDATE 3".
    var commandTag: String { String(cString: PQcmdStatus(handle)) }

    /// How many rows were changed, if the statement changes rows.
    var changedCount: Int? { Int(String(cString: PQcmdTuples(handle))) }

    /// Visits the rows in order.
    func forEach(_ body: (Row) throws(PostgresError) -> Void) throws(PostgresError) {
        for index in 0..<PQntuples(handle) {
            try body(Row(rows: self, index: index))
        }
    }

    /// The bytes of a value; nil is NULL.
    fileprivate func bytes(_ row: Int32, _ column: Int32) throws(PostgresError) -> [UInt8]? {
        guard column < PQnfields(handle) else {
            throw PostgresError(.unexpectedAnswer("the answer has too few columns"))
        }
        guard PQgetisnull(handle, row, column) == 0 else { return nil }
        // The pointer is libpq's, valid until PQclear; it is never NULL for an existing value.
        guard let value = PQgetvalue(handle, row, column) else { return nil }
        let length = Int(PQgetlength(handle, row, column))
        return Array(UnsafeRawBufferPointer(start: value, count: length))
    }
}

/// One row of a result.
struct Row {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// A value that may be NULL.
    func optionalBytes(_ column: Int32) throws(PostgresError) -> [UInt8]? {
        try rows.bytes(index, column)
    }

    /// A value that may not.
    func bytes(_ column: Int32) throws(PostgresError) -> [UInt8] {
        guard let bytes = try rows.bytes(index, column) else { throw unexpected(column) }
        return bytes
    }

    /// A text that may be NULL.
    func optionalText(_ column: Int32) throws(PostgresError) -> String? {
        guard let bytes = try rows.bytes(index, column) else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw unexpected(column) }
        return text
    }

    /// A text that may not.
    func text(_ column: Int32) throws(PostgresError) -> String {
        guard let text = try optionalText(column) else { throw unexpected(column) }
        return text
    }

    /// An integer of exactly the column's width.
    func integer<Integer: FixedWidthInteger>(
        _ column: Int32, as type: Integer.Type = Integer.self
    ) throws(PostgresError) -> Integer {
        guard let value = Integer(bigEndian: try bytes(column)) else { throw unexpected(column) }
        return value
    }

    /// A day, counted from 1970-01-01, that may be NULL.
    func optionalDay(_ column: Int32) throws(PostgresError) -> Day? {
        guard let bytes = try optionalBytes(column) else { return nil }
        guard let number = Int32(bigEndian: bytes) else { throw unexpected(column) }
        return Day(number: number)
    }

    /// Thirty-two bytes.
    func digest(_ column: Int32) throws(PostgresError) -> Digest32 {
        guard let digest = Digest32(try bytes(column)) else { throw unexpected(column) }
        return digest
    }

    /// A value that the schema does not allow there.
    func unexpected(_ column: Int32) -> PostgresError {
        PostgresError(.unexpectedAnswer("column \(column) of a row is not as the schema has it"))
    }
}
