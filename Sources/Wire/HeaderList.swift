extension [Header] {
    /// The values of a header as texts, in order; nil for one that is not UTF-8.
    ///
    /// Names are compared byte for byte, as Kafka does. A header whose value is null counts as
    /// absent.
    func texts(named name: String) -> [String?] {
        filter { $0.name.utf8.elementsEqual(name.utf8) }.compactMap(\.value)
            .map { String(validating: $0, as: UTF8.self) }
    }

    /// The one text under a name; nil where there is none, or where two differ.
    package func onlyText(named name: String) -> String? {
        let texts = texts(named: name)
        guard let first = texts.first, let text = first,
            texts.allSatisfy({ $0.map { $0.utf8.elementsEqual(text.utf8) } ?? false })
        else { return nil }
        return text
    }
}
