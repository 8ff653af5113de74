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

    /// Lends the bytes of a value; nil is NULL.
    ///
    /// They are libpq's, and valid for as long as the result is.
    fileprivate func withValue<Result>(
        _ row: Int32, _ column: Int32, _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(PostgresError) -> Result? {
        guard column < PQnfields(handle) else {
            throw PostgresError(.unexpectedAnswer("the answer has too few columns"))
        }
        guard PQgetisnull(handle, row, column) == 0 else { return nil }
        // Never NULL for an existing value.
        guard let value = PQgetvalue(handle, row, column) else { return nil }
        return body(
            UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(handle, row, column))))
    }
}

/// One row of a result.
struct Row {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// A value that may be NULL.
    func optionalBytes(_ column: Int32) throws(PostgresError) -> [UInt8]? {
        try rows.withValue(index, column) { Array($0) }
    }

    /// A value that may not.
    func bytes(_ column: Int32) throws(PostgresError) -> [UInt8] {
        guard let bytes = try optionalBytes(column) else { throw unexpected(column) }
        return bytes
    }

    /// Whether a value is NULL.
    func isNull(_ column: Int32) throws(PostgresError) -> Bool {
        try rows.withValue(index, column) { _ in } == nil
    }

    /// A text that may be NULL.
    func optionalText(_ column: Int32) throws(PostgresError) -> String? {
        guard
            let text = try rows.withValue(
                index, column, { String(validating: $0, as: UTF8.self) })
        else { return nil }
        guard let text else { throw unexpected(column) }
        return text
    }

    /// A text that may not.
    func text(_ column: Int32) throws(PostgresError) -> String {
        guard let text = try optionalText(column) else { throw unexpected(column) }
        return text
    }

    /// A text that may not be NULL, and is most likely this one.
    ///
    /// Rows of one app then share the memory of its id, and comparing them costs next to nothing.
    func text(_ column: Int32, likely text: String) throws(PostgresError) -> String {
        let isLikely = try rows.withValue(index, column) { $0.elementsEqual(text.utf8) }
        return isLikely ?? false ? text : try self.text(column)
    }

    /// An integer of exactly the column's width.
    func integer<Integer: FixedWidthInteger>(
        _ column: Int32, as type: Integer.Type = Integer.self
    ) throws(PostgresError) -> Integer {
        guard let value: Integer = try optionalInteger(column) else { throw unexpected(column) }
        return value
    }

    /// An integer of exactly the column's width, that may be NULL.
    func optionalInteger<Integer: FixedWidthInteger>(
        _ column: Int32, as type: Integer.Type = Integer.self
    ) throws(PostgresError) -> Integer? {
        guard let value = try rows.withValue(index, column, { Integer(bigEndian: $0) }) else {
            return nil
        }
        guard let value else { throw unexpected(column) }
        return value
    }

    /// A truth value that may be NULL.
    func optionalFlag(_ column: Int32) throws(PostgresError) -> Bool? {
        guard let value = try optionalInteger(column, as: UInt8.self) else { return nil }
        guard value <= 1 else { throw unexpected(column) }
        return value == 1
    }

    /// A day, counted from 1970-01-01, that may be NULL.
    func optionalDay(_ column: Int32) throws(PostgresError) -> Day? {
        try optionalInteger(column).map { Day(number: $0) }
    }

    /// Thirty-two bytes.
    func digest(_ column: Int32) throws(PostgresError) -> Digest32 {
        guard let digest = try rows.withValue(index, column, { Digest32($0) }) ?? nil else {
            throw unexpected(column)
        }
        return digest
    }

    /// A value that the schema does not allow there.
    func unexpected(_ column: Int32) -> PostgresError {
        PostgresError(.unexpectedAnswer("column \(column) of a row is not as the schema has it"))
    }
}
