/// Who a worker process is.
package struct WorkerIdentity: Hashable, Sendable {
    /// The version of the program.
    package let version: String
    /// A name for this instance: the pod's, or host and process.
    package let id: String

    /// An identity from its parts.
    package init(version: String, id: String) {
        self.version = version
        self.id = id
    }
}
