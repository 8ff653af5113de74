/// The scenery of a test could not be set up, or did not do what was waited for.
package struct HarnessFailure: Error, CustomStringConvertible {
    /// What happened, for the person who reads the test's report.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
