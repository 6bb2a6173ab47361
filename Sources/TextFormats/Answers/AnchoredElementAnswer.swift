package import LayoutCache

/// An element that is asked for alone, and the content offset at which it stands where it is
/// wanted, if that was asked for.
package struct AnchoredElementAnswer {
  package var element: ElementAnswer
  package var offset: AnchoredOffset?

  package init(element: ElementAnswer, offset: AnchoredOffset?) {
    self.element = element
    self.offset = offset
  }

  /// What is said of it. Programs are told where the content ends before the element could
  /// stand there.
  package static var fields: [AnswerField<Self>] {
    ElementAnswer.fieldsInDetail.map { $0.of(\.element) } + [
      .optional("contentOffset", as: .text("content offset"), \.offset?.contentOffset),
      .optional("exact") { $0.offset?.isExact == false ? false : nil },
    ]
  }
}
