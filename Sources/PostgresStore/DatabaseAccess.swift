/// How new sessions reach the database: what may be replaced while others live on.
package struct DatabaseAccess: Hashable, Sendable, CustomStringConvertible {
    /// A libpq connection string or URI.
    package let conninfo: String
    /// The password where the connection string has none.
    package let password: String

    /// Access from its parts.
    package init(conninfo: String, password: String) {
        self.conninfo = conninfo
        self.password = password
    }

    /// Nothing of it: both may hold a password.
    package var description: String { "DatabaseAccess" }
}
