//! How services differ in Chat Completions.

/// How a service speaks Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChatDialect {
    /// The field that turns reasoning on and off.
    pub(crate) switch: Switch,
    /// Where the reasoning is sent.
    pub(crate) thoughts: ThoughtForm,
    /// Whether it refuses a history without reasoning.
    pub(crate) wants_thoughts: bool,
    /// Whether it supports forced tool calls.
    pub(crate) forced: ForcedSupport,
    /// How it sends calls.
    pub(crate) calls: CallSupport,
    /// Where it sends the usage.
    pub(crate) usage: UsagePlace,
    /// The highest accepted temperature, in tenths; 0 if none is accepted.
    pub(crate) hottest: u8,
    /// Whether it parses the arguments in the history, and refuses invalid ones.
    pub(crate) reads_arguments: bool,
    /// Whether a message of the user may have pictures.
    pub(crate) sees: bool,
    /// Whether it can constrain answers to a schema.
    pub(crate) takes_schema: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    /// `thinking.type`: on unless `disabled`.
    ThinkingType,
    /// `enable_thinking`: off unless true.
    EnableThinking,
    /// `reasoning.effort`: on unless `none`.
    Reasoning,
    /// `reasoning_effort`: on unless `none`.
    ReasoningEffort,
    /// `chat_template_kwargs.enable_thinking`: on unless false.
    TemplateArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ThoughtForm {
    /// `reasoning_content`
    ReasoningContent,
    /// `reasoning`
    Reasoning,
    /// `reasoning_details`, with a signature at the end, and the same text in `reasoning`.
    Details,
    /// `reasoning_details` if the request sets `reasoning_split`, otherwise in the text.
    SplitDetails,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForcedSupport {
    Yes,
    /// Not while reasoning is on.
    WithoutThinking,
    /// Anything except `auto` is refused.
    No,
    /// The field is ignored.
    Ignored,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSupport {
    /// Id and name first, then the arguments in pieces.
    Pieces,
    /// The same, with an empty id in each piece.
    EmptyIds,
    /// The same, with an empty name in each piece.
    EmptyNames,
    /// Each call in one piece.
    Whole,
    /// The same, and each has index 0.
    WholeAtZero,
    /// In pieces, under ids such as `functions.find:0`.
    FunctionIds,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsagePlace {
    /// In the chunk with the finish reason, if requested.
    Last,
    /// The same, requested or not.
    LastAlways,
    /// In a chunk of its own, if requested.
    Own,
    /// In the choice of the chunk with the finish reason.
    Choice,
    /// In a chunk of its own that repeats the finish reason.
    Repeated,
}
