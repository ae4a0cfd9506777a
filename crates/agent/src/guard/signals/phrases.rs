//! The phrases of injection signals.

use sidecar_protocol::guard::SignalKind;

use super::Phrase;

pub(super) const ENGLISH: &[(SignalKind, Phrase)] = &[
    (
        SignalKind::Override,
        &[
            &["ignore*", "disregard*", "forget", "override", "bypass"],
            &["previous*", "prior", "above", "earlier", "preceding", "your", "all", "any", "other", "system"],
            &["instruction*", "rule*", "prompt*", "guideline*", "direction*", "command*"],
        ],
    ),
    (
        SignalKind::Override,
        &[&["new", "updated", "real"], &["instruction*"], &["assistant*", "agent*", "model*", "you"]],
    ),
    (SignalKind::Role, &[&["system", "developer"], &["prompt", "message", "override", "mode"]]),
    (SignalKind::Role, &[&["act", "pretend", "behave"], &["as"], &["system", "developer", "admin*", "root"]]),
    (
        SignalKind::Order,
        &[
            &["assistant*", "ai", "agent*", "model", "models", "llm", "llms", "chatbot*"],
            &["must", "should", "shall", "needs", "need", "please", "has", "have", "now"],
            &[
                "call", "invoke", "use", "run", "execute", "send", "click", "buy", "open", "transfer",
                "delete",
            ],
        ],
    ),
    (
        SignalKind::Order,
        &[
            &["you"],
            &["must", "should", "need", "now"],
            &["call", "invoke", "execute"],
            &["tool*", "function*"],
        ],
    ),
    (
        SignalKind::Secrecy,
        &[
            &["not", "never", "without", "don", "dont"],
            &["tell*", "inform*", "mention*", "reveal*", "notify*", "alert*", "ask*", "show*"],
            &["user*", "human*", "person", "anyone", "anybody"],
        ],
    ),
    (
        SignalKind::Exfiltration,
        &[
            &["send", "post", "forward", "upload", "transmit", "exfiltrate", "email", "leak", "submit"],
            &[
                "password*",
                "secret*",
                "token*",
                "credential*",
                "cookie*",
                "conversation*",
                "history",
                "inbox",
                "key",
                "keys",
            ],
            &["to"],
        ],
    ),
];

pub(super) const CHINESE: &[(SignalKind, Phrase)] = &[
    (
        SignalKind::Override,
        &[
            &["忽略", "无视", "忘记", "忘掉", "不要理会", "不要遵守", "跳过"],
            &["之前", "以上", "上面", "先前", "此前", "前面", "所有", "全部", "你的", "其他", "系统"],
            &["指令", "指示", "规则", "提示", "要求", "设定", "命令"],
        ],
    ),
    (SignalKind::Role, &[&["系统", "开发者"], &["提示词", "消息", "指令", "模式"]]),
    (
        SignalKind::Order,
        &[
            &["助手", "智能体", "模型", "代理", "机器人", "ai"],
            &["必须", "应当", "应该", "务必", "请", "需要", "立即"],
            &["调用", "执行", "运行", "使用", "发送", "点击", "转账", "购买", "删除"],
        ],
    ),
    (SignalKind::Order, &[&["你"], &["必须", "务必", "应该", "立即"], &["调用", "执行"], &["工具", "函数"]]),
    (
        SignalKind::Secrecy,
        &[
            &["不要", "别", "不得", "切勿", "无需", "不必", "禁止"],
            &["告诉", "告知", "通知", "提及", "透露", "询问", "提醒"],
            &["用户", "使用者", "任何人", "对方", "主人"],
        ],
    ),
    (
        SignalKind::Exfiltration,
        &[
            &["发送", "上传", "转发", "提交", "发给", "泄露", "发到"],
            &["密码", "密钥", "令牌", "凭证", "聊天记录", "对话", "隐私", "收件箱"],
        ],
    ),
    (
        SignalKind::Exfiltration,
        &[
            &["把", "将"],
            &["密码", "密钥", "令牌", "凭证", "聊天记录", "对话", "隐私", "收件箱"],
            &["发送", "上传", "转发", "提交", "发给", "发到"],
        ],
    ),
];

/// Marks of the roles in a conversation, as models are trained on them.
pub(super) const ROLE_MARKS: &[&str] = &[
    "<|im_start|>",
    "<|im_end|>",
    "<|start_header_id|>",
    "<|system|>",
    "<|user|>",
    "<|assistant|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "<system>",
    "</system>",
    "<start_of_turn>",
    "<end_of_turn>",
];
