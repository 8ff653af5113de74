import Testing
import Worker

@testable import PostgresStore

/// What each error of the server makes the worker do, and what it lets be seen.
@Suite struct PostgresErrorTests {
    @Test(arguments: [
        ("08006", Disposition.retry), ("53300", .retry), ("53100", .retry), ("40001", .retry),
        ("40P01", .retry), ("57P01", .retry), ("57P03", .retry), ("57014", .retry),
        ("55P03", .retry), ("25006", .retry), ("25P03", .retry), ("58030", .retry),
        ("XX001", .retry), ("26000", .retry), ("22021", .poison), ("23514", .poison),
        ("54000", .poison), ("P0001", .poison), ("28P01", .stop(.noPermission)),
        ("42501", .stop(.noPermission)), ("42P01", .stop(.incompatible)),
        ("3D000", .stop(.incompatible)), ("3F000", .stop(.incompatible)),
        ("21000", .stop(.software)), ("25P02", .stop(.software)),
    ])
    func `each class has its disposition`(_ sqlState: String, _ disposition: Disposition) {
        let error = PostgresError(.server(sqlState: sqlState, constraint: nil, message: "m"))
        #expect(error.fault("test").disposition == disposition)
        #expect(error.fault("test").code == sqlState)
    }

    @Test(arguments: ["keys_pkey", "inbox_pkey"])
    func `a row that another connection inserted first is retried`(_ constraint: String) {
        let error = PostgresError(
            .server(sqlState: "23505", constraint: constraint, message: "m"))
        #expect(error.fault("test").disposition == .retry)
        #expect(error.leavesConnectionUsable)
        let other = PostgresError(.server(sqlState: "23505", constraint: "other", message: "m"))
        #expect(other.fault("test").disposition == .poison)
    }

    @Test(arguments: ["22P02", "22021", "23514", "23505", "P0001"])
    func `messages that may hold a row's values don't show`(_ sqlState: String) {
        let error = PostgresError(
            .server(sqlState: sqlState, constraint: "name", message: "value: secret"))
        #expect(!"\(error.fault("test"))".contains("secret"))
    }

    @Test(arguments: ["42P01", "42703", "3F000"])
    func `what a database without our tables lacks is told with the remedy`(_ sqlState: String) {
        let error = PostgresError(
            .server(sqlState: sqlState, constraint: nil, message: "relation does not exist"))
        #expect(
            error.fault("test").message == "relation does not exist: run `attest-worker migrate`")
    }

    @Test(arguments: ["25006", "57P01", "08006", "25P03", "0A000", "26000"])
    func `connections are thrown away after errors that stay with them`(_ sqlState: String) {
        let error = PostgresError(.server(sqlState: sqlState, constraint: nil, message: "m"))
        #expect(!error.leavesConnectionUsable)
    }

    @Test func `an array has PostgreSQL's binary layout`() {
        let array = Parameter.texts(["a", nil, ""])
        #expect(
            array.bytes == [
                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 25, 0, 0, 0, 3, 0, 0, 0, 1,
                0, 0, 0, 1, 97, 255, 255, 255, 255, 0, 0, 0, 0,
            ])
        #expect(Parameter.int8s([]).bytes == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20])
    }

    @Test func `integers of another width are not taken for one`() {
        #expect(Int64(bigEndian: [0, 0, 0, 0, 0, 0, 1, 2]) == 258)
        #expect(Int64(bigEndian: [255, 255, 255, 255, 255, 255, 255, 254]) == -2)
        #expect(Int32(bigEndian: [128, 0, 0, 0]) == .min)
        #expect(Int32(bigEndian: [0, 0, 0, 0, 0, 0, 1, 2]) == nil)
        #expect(Int32(bigEndian: []) == nil)
    }
}
