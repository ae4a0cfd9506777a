//! What a case expects: `expectedCall`.

use serde_json::{Map, Value};

/// What a case expects of the model.
#[derive(Debug, Clone, PartialEq)]
pub enum Expectation {
    /// The case does not say: it cannot pass.
    Incomplete,
    /// No call. `told` is whether that is told in a row of its own: for `null`, and not for `[]`.
    NoCall {
        /// `expectedCall` is `null`.
        told: bool,
    },
    /// These calls, in this order.
    Calls(Vec<ExpectedNode>),
}

/// A node of `expectedCall`.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpectedNode {
    /// One call.
    Call(Box<CallNode>),
    /// These in any order.
    Unordered(Vec<ExpectedNode>),
    /// These in this order; of use inside of [`Self::Unordered`].
    Ordered(Vec<ExpectedNode>),
    /// Of no known kind: nobody looks at it.
    Unknown,
}

/// A call that is expected.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallNode {
    /// Name of the tool.
    pub name: String,
    /// What its arguments have to match; any will do without.
    pub arguments: Option<Value>,
    /// What its result has to match.
    pub result: Option<Value>,
    /// What it is answered where no tool runs. `null` is an answer too.
    pub mock_output: Option<Value>,
    /// Whether it may be missing.
    pub is_optional: bool,
}

impl Expectation {
    /// Reads `expectedCall`, where `None` is that the case has none.
    #[must_use]
    pub fn read(expected: Option<&Value>) -> Self {
        match expected {
            None => Self::Incomplete,
            Some(Value::Null) => Self::NoCall { told: true },
            Some(Value::Array(nodes)) if nodes.is_empty() => Self::NoCall { told: false },
            Some(Value::Array(nodes)) => Self::Calls(nodes.iter().map(ExpectedNode::read).collect()),
            Some(node) => Self::Calls(vec![ExpectedNode::read(node)]),
        }
    }

    /// The nodes; none where no call is expected.
    #[must_use]
    pub fn nodes(&self) -> &[ExpectedNode] {
        match self {
            Self::Calls(nodes) => nodes,
            Self::Incomplete | Self::NoCall { .. } => &[],
        }
    }
}

impl ExpectedNode {
    fn read(node: &Value) -> Self {
        let Value::Object(members) = node else { return Self::Unknown };
        let children = |key: &str| Some(members.get(key)?.as_array()?.iter().map(Self::read).collect());
        if let Some(name) = members.get("functionName").and_then(Value::as_str) {
            return Self::Call(Box::new(CallNode::read(name, members)));
        }
        if let Some(children) = children("unordered") {
            return Self::Unordered(children);
        }
        children("ordered").map_or(Self::Unknown, Self::Ordered)
    }

    /// How many nodes are in it that have none in them: what a search through orders costs.
    #[must_use]
    pub fn leaves(&self) -> usize {
        match self {
            Self::Call(_) | Self::Unknown => 1,
            Self::Unordered(nodes) | Self::Ordered(nodes) => {
                nodes.iter().map(Self::leaves).sum::<usize>().max(1)
            }
        }
    }

    /// All calls in it, in the order of the file.
    #[must_use]
    pub fn calls(&self) -> Vec<&CallNode> {
        match self {
            Self::Call(call) => vec![call],
            Self::Unordered(nodes) | Self::Ordered(nodes) => nodes.iter().flat_map(Self::calls).collect(),
            Self::Unknown => Vec::new(),
        }
    }
}

impl CallNode {
    fn read(name: &str, members: &Map<String, Value>) -> Self {
        let unless_null = |key: &str| members.get(key).filter(|value| !value.is_null()).cloned();
        Self {
            name: name.to_owned(),
            arguments: unless_null("arguments"),
            result: unless_null("result"),
            mock_output: members.get("mockOutput").cloned(),
            is_optional: members.get("optional").and_then(Value::as_bool).unwrap_or(false),
        }
    }
}
