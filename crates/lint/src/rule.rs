//! The rules: id, usual severity, words.

use serde::{Deserialize, Serialize};
use sidecar_locales::Word;

use crate::wording::word;

/// What a finding means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LintSeverity {
    /// Something does not work, or is dangerous.
    Error,
    /// Something will go wrong for some models or users.
    Warning,
    /// It is good to know.
    Info,
    /// Not shown.
    Off,
}

/// The rules, each with its id, its usual severity, and why and what to do in words.
macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $rule:ident = $id:literal, $severity:ident, $why:ident, $way:ident;)+) => {
        /// A rule.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ToolRule {
            $($(#[doc = $doc])+ $rule,)+
        }

        impl ToolRule {
            /// All rules, by what they look at.
            pub const ALL: &[Self] = &[$(Self::$rule,)+];

            /// Its name in reports and overrides.
            #[must_use]
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$rule => $id,)+
                }
            }

            /// What its findings mean as a rule; some mean more, some less.
            #[must_use]
            pub fn severity(self) -> LintSeverity {
                match self {
                    $(Self::$rule => LintSeverity::$severity,)+
                }
            }

            /// What is wrong, and what to do about it.
            pub(crate) fn words(self) -> (Word, Word) {
                match self {
                    $(Self::$rule => (word::$why, word::$way),)+
                }
            }
        }
    };
}

rules! {
    /// A name that WebMCP does not take.
    ToolNameValid = "tool-name-valid", Error, RULE_TOOL_NAME_VALID, RULE_TOOL_NAME_VALID_WAY;
    /// A long name.
    ToolNameLength = "tool-name-length", Warning, RULE_TOOL_NAME_LENGTH, RULE_TOOL_NAME_LENGTH_WAY;
    /// No title for people.
    ToolTitleMissing = "tool-title-missing", Off, RULE_TOOL_TITLE_MISSING, RULE_TOOL_TITLE_MISSING_WAY;
    /// No description.
    DescriptionMissing = "description-missing", Error, RULE_DESCRIPTION_MISSING, RULE_DESCRIPTION_MISSING_WAY;
    /// A very short or a long description.
    DescriptionLength = "description-length", Warning, RULE_DESCRIPTION_LENGTH, RULE_DESCRIPTION_LENGTH_WAY;
    /// A description that only repeats the name.
    DescriptionSameAsName = "description-same-as-name", Info, RULE_DESCRIPTION_SAME_AS_NAME, RULE_DESCRIPTION_SAME_AS_NAME_WAY;
    /// A description that does not say when to use the tool.
    DescriptionWhenToUse = "description-when-to-use", Off, RULE_DESCRIPTION_WHEN_TO_USE, RULE_DESCRIPTION_WHEN_TO_USE_WAY;
    /// A text that gives the model orders.
    DescriptionInjection = "description-injection", Error, RULE_DESCRIPTION_INJECTION, RULE_DESCRIPTION_INJECTION_WAY;
    /// A text with invisible characters.
    HiddenCharacters = "hidden-characters", Error, RULE_HIDDEN_CHARACTERS, RULE_HIDDEN_CHARACTERS_WAY;
    /// A schema that is not one of an object, or requires what it does not define.
    SchemaShape = "schema-shape", Error, RULE_SCHEMA_SHAPE, RULE_SCHEMA_SHAPE_WAY;
    /// Not a JSON Schema.
    SchemaInvalid = "schema-invalid", Error, RULE_SCHEMA_INVALID, RULE_SCHEMA_INVALID_WAY;
    /// A schema that no arguments satisfy.
    SchemaImpossible = "schema-impossible", Error, RULE_SCHEMA_IMPOSSIBLE, RULE_SCHEMA_IMPOSSIBLE_WAY;
    /// A part that contradicts itself, or a value that its own part refuses.
    SchemaContradiction = "schema-contradiction", Warning, RULE_SCHEMA_CONTRADICTION, RULE_SCHEMA_CONTRADICTION_WAY;
    /// A pattern that is no expression, cannot be checked, or matches anywhere in a text.
    SchemaPattern = "schema-pattern", Error, RULE_SCHEMA_PATTERN, RULE_SCHEMA_PATTERN_WAY;
    /// A reference that leads nowhere, or to another document.
    SchemaRef = "schema-ref", Error, RULE_SCHEMA_REF, RULE_SCHEMA_REF_WAY;
    /// A part that contains itself.
    SchemaRecursive = "schema-recursive", Warning, RULE_SCHEMA_RECURSIVE, RULE_SCHEMA_RECURSIVE_WAY;
    /// Keywords that services of models drop or refuse.
    SchemaUnsupportedKeywords = "schema-unsupported-keywords", Warning, RULE_SCHEMA_UNSUPPORTED_KEYWORDS, RULE_SCHEMA_UNSUPPORTED_KEYWORDS_WAY;
    /// What the service of the model in use does not see.
    SchemaLossy = "schema-lossy", Warning, RULE_SCHEMA_LOSSY, RULE_SCHEMA_LOSSY_WAY;
    /// A `null` that the browser's own model refuses.
    SchemaNoNullLiterals = "schema-no-null-literals", Warning, RULE_SCHEMA_NO_NULL_LITERALS, RULE_SCHEMA_NO_NULL_LITERALS_WAY;
    /// Objects in objects in objects.
    SchemaDepth = "schema-depth", Warning, RULE_SCHEMA_DEPTH, RULE_SCHEMA_DEPTH_WAY;
    /// A large schema.
    SchemaSize = "schema-size", Warning, RULE_SCHEMA_SIZE, RULE_SCHEMA_SIZE_WAY;
    /// `nullable`, which means nothing.
    NullableKeyword = "nullable-keyword", Warning, RULE_NULLABLE_KEYWORD, RULE_NULLABLE_KEYWORD_WAY;
    /// A `format` that JSON Schema does not define.
    FormatUnknown = "format-unknown", Info, RULE_FORMAT_UNKNOWN, RULE_FORMAT_UNKNOWN_WAY;
    /// A parameter without a type.
    ParamTypeMissing = "param-type-missing", Warning, RULE_PARAM_TYPE_MISSING, RULE_PARAM_TYPE_MISSING_WAY;
    /// A parameter without a description.
    ParamDescriptionMissing = "param-description-missing", Warning, RULE_PARAM_DESCRIPTION_MISSING, RULE_PARAM_DESCRIPTION_MISSING_WAY;
    /// A long description of a parameter.
    ParamDescriptionLength = "param-description-length", Warning, RULE_PARAM_DESCRIPTION_LENGTH, RULE_PARAM_DESCRIPTION_LENGTH_WAY;
    /// A long name of a parameter.
    ParamNameLength = "param-name-length", Warning, RULE_PARAM_NAME_LENGTH, RULE_PARAM_NAME_LENGTH_WAY;
    /// Many parameters.
    ParamCount = "param-count", Info, RULE_PARAM_COUNT, RULE_PARAM_COUNT_WAY;
    /// Codes to choose from that nothing explains.
    EnumOpaque = "enum-opaque", Info, RULE_ENUM_OPAQUE, RULE_ENUM_OPAQUE_WAY;
    /// A parameter for a secret.
    SensitiveParams = "sensitive-params", Warning, RULE_SENSITIVE_PARAMS, RULE_SENSITIVE_PARAMS_WAY;
    /// No hints.
    AnnotationsExplicit = "annotations-explicit", Off, RULE_ANNOTATIONS_EXPLICIT, RULE_ANNOTATIONS_EXPLICIT_WAY;
    /// Read-only, and it acts.
    AnnotationsContradict = "annotations-contradict", Warning, RULE_ANNOTATIONS_CONTRADICT, RULE_ANNOTATIONS_CONTRADICT_WAY;
    /// It acts seriously and does not say so.
    ConsequentialMissing = "consequential-missing", Warning, RULE_CONSEQUENTIAL_MISSING, RULE_CONSEQUENTIAL_MISSING_WAY;
    /// It returns texts of others and does not say so.
    UntrustedMissing = "untrusted-missing", Info, RULE_UNTRUSTED_MISSING, RULE_UNTRUSTED_MISSING_WAY;
    /// Exposed to what is no secure origin.
    ExposedToSecureOrigins = "exposed-to-secure-origins", Error, RULE_EXPOSED_TO_SECURE_ORIGINS, RULE_EXPOSED_TO_SECURE_ORIGINS_WAY;
    /// Exposed to an address of which only the origin counts.
    ExposedToOriginOnly = "exposed-to-origin-only", Warning, RULE_EXPOSED_TO_ORIGIN_ONLY, RULE_EXPOSED_TO_ORIGIN_ONLY_WAY;
    /// A form with a tool name and no description.
    DeclarativeDescription = "declarative-description", Error, RULE_DECLARATIVE_DESCRIPTION, RULE_DECLARATIVE_DESCRIPTION_WAY;
    /// A field of a form that nothing describes.
    DeclarativeFieldDescription = "declarative-field-description", Warning, RULE_DECLARATIVE_FIELD_DESCRIPTION, RULE_DECLARATIVE_FIELD_DESCRIPTION_WAY;
    /// A form with a secret that is submitted without the user.
    DeclarativeAutosubmitSensitive = "declarative-autosubmit-sensitive", Error, RULE_DECLARATIVE_AUTOSUBMIT_SENSITIVE, RULE_DECLARATIVE_AUTOSUBMIT_SENSITIVE_WAY;
    /// Two tools of one name.
    DuplicateToolName = "duplicate-tool-name", Error, RULE_DUPLICATE_TOOL_NAME, RULE_DUPLICATE_TOOL_NAME_WAY;
    /// Two names of different documents that look alike.
    ToolShadowing = "tool-shadowing", Error, RULE_TOOL_SHADOWING, RULE_TOOL_SHADOWING_WAY;
    /// Two descriptions that say nearly the same.
    SimilarDescriptions = "similar-descriptions", Warning, RULE_SIMILAR_DESCRIPTIONS, RULE_SIMILAR_DESCRIPTIONS_WAY;
    /// Names in several styles.
    NamingConsistency = "naming-consistency", Warning, RULE_NAMING_CONSISTENCY, RULE_NAMING_CONSISTENCY_WAY;
    /// Many tools.
    TooManyTools = "too-many-tools", Warning, RULE_TOO_MANY_TOOLS, RULE_TOO_MANY_TOOLS_WAY;
    /// Private data, texts of others and a way to send, together.
    CapabilityTrifecta = "capability-trifecta", Warning, RULE_CAPABILITY_TRIFECTA, RULE_CAPABILITY_TRIFECTA_WAY;
    /// Registered by a script of another origin.
    ThirdPartyRegistration = "third-party-registration", Warning, RULE_THIRD_PARTY_REGISTRATION, RULE_THIRD_PARTY_REGISTRATION_WAY;
    /// Registered long after the page loaded.
    ToolsRegisterLate = "tools-register-late", Warning, RULE_TOOLS_REGISTER_LATE, RULE_TOOLS_REGISTER_LATE_WAY;
    /// Registered after the page loaded.
    ToolsAfterLoad = "tools-after-load", Info, RULE_TOOLS_AFTER_LOAD, RULE_TOOLS_AFTER_LOAD_WAY;
    /// Registered again and again.
    ToolChurn = "tool-churn", Warning, RULE_TOOL_CHURN, RULE_TOOL_CHURN_WAY;
    /// Another page of the site defines it otherwise.
    CrossPageDrift = "cross-page-drift", Warning, RULE_CROSS_PAGE_DRIFT, RULE_CROSS_PAGE_DRIFT_WAY;
    /// A failure though the arguments fit.
    ResultErrorOnValidInput = "result-error-on-valid-input", Error, RULE_RESULT_ERROR_ON_VALID_INPUT, RULE_RESULT_ERROR_ON_VALID_INPUT_WAY;
    /// Nothing was returned.
    ResultUndefined = "result-undefined", Warning, RULE_RESULT_UNDEFINED, RULE_RESULT_UNDEFINED_WAY;
    /// `null` was returned.
    ResultNull = "result-null", Warning, RULE_RESULT_NULL, RULE_RESULT_NULL_WAY;
    /// What was returned cannot be made text.
    ResultNotSerializable = "result-not-serializable", Error, RULE_RESULT_NOT_SERIALIZABLE, RULE_RESULT_NOT_SERIALIZABLE_WAY;
    /// A long result.
    ResultTooLarge = "result-too-large", Warning, RULE_RESULT_TOO_LARGE, RULE_RESULT_TOO_LARGE_WAY;
    /// A slow tool.
    ResultSlow = "result-slow", Warning, RULE_RESULT_SLOW, RULE_RESULT_SLOW_WAY;
    /// A success though the arguments do not fit.
    ResultAcceptsInvalidInput = "result-accepts-invalid-input", Warning, RULE_RESULT_ACCEPTS_INVALID_INPUT, RULE_RESULT_ACCEPTS_INVALID_INPUT_WAY;
    /// A result that gives the model orders.
    ResultSuspiciousContent = "result-suspicious-content", Warning, RULE_RESULT_SUSPICIOUS_CONTENT, RULE_RESULT_SUSPICIOUS_CONTENT_WAY;
}
