//! The tool `ask`: asks the person questions, with a form if the client supports forms, or else as
//! text.

use crate::models::ToolSpec;
use crate::tools::approved_call::ApprovedCall;
use crate::tools::arguments;
use crate::tools::fit::{counted, one_line};
use crate::tools::length::Length;
use crate::tools::prepared::{PrepareError, Prepared};
use crate::tools::resolved_paths::ResolvedPaths;
use crate::tools::schema::{spec, text, yes_no};
use crate::tools::tool::{PrepareFuture, Tool};
use crate::tools::tool_result::{Finding, ToolResult};
use crate::tools::toolbox::{ToolFuture, Toolbox};
use attache_agent::{Elicited, Error, Result, ToolCallHandle, ToolKind};
use attache_policy::Touch;
use attache_protocol::v1::{ElicitationContentValue, ElicitationSchema};
use attache_protocol::{Map, decode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::future::ready;

/// The maximum number of questions in a call.
const QUESTIONS: usize = 8;

/// Questions to the person.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ask {
    /// The questions.
    pub(crate) questions: Vec<Question>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The question itself.
    pub(crate) question: String,
    /// The options; without options, the answer is free text.
    #[serde(default)]
    pub(crate) options: Vec<String>,
    /// Whether the person may choose several options.
    #[serde(default)]
    pub(crate) several: bool,
}

impl Ask {
    pub(crate) fn parse(arguments: &str) -> std::result::Result<Self, String> {
        arguments::parse("ask", arguments)
    }

    /// The approximate length of the questions and their options, in bytes.
    fn length(&self) -> usize {
        let options = |question: &Question| {
            question.options.iter().map(|option| option.len() + 16).sum::<usize>()
        };
        self.questions.iter().map(|question| question.question.len() + options(question) + 64).sum()
    }

    /// Returns the form for the questions, or the reason why they are invalid.
    fn form(&self) -> std::result::Result<ElicitationSchema, String> {
        if self.questions.is_empty() || self.questions.len() > QUESTIONS {
            return Err(format!("ask one to {QUESTIONS} questions"));
        }
        let (mut fields, mut required) = (serde_json::Map::new(), Vec::new());
        for (number, question) in self.questions.iter().enumerate() {
            if question.question.trim().is_empty() {
                return Err("a question is empty: say what you want to know".to_owned());
            }
            let mut options: Vec<String> = Vec::new();
            for option in question.options.iter().map(|option| one_line(option, 200)) {
                if !option.is_empty() && !options.contains(&option) {
                    options.push(option);
                }
            }
            // If there is a single question, it is the title of the form.
            let title = if self.questions.len() == 1 {
                "Your answer".to_owned()
            } else {
                one_line(&question.question, 300)
            };
            let field = match (options.is_empty(), question.several) {
                (true, _) => json!({ "type": "string", "title": title }),
                (false, false) => json!({ "type": "string", "title": title, "enum": options }),
                (false, true) => {
                    json!({ "type": "array", "title": title, "items": { "type": "string", "enum": options } })
                }
            };
            fields.insert(name(number), field);
            if !question.several {
                required.push(name(number));
            }
        }
        let schema = json!({ "type": "object", "properties": fields, "required": required });
        decode(&schema.to_string())
            .map_err(|error| format!("the questions make no valid form: {error}"))
    }

    /// The introduction of the form.
    fn message(&self) -> String {
        match self.questions.as_slice() {
            [only] => only.question.trim().to_owned(),
            several => format!("There are {}:", counted(several.len() as u64, "question")),
        }
    }

    /// Returns each question with its answer.
    fn answered(&self, values: &Map<ElicitationContentValue>) -> String {
        let answer = |(number, question): (usize, &Question)| {
            let value =
                values.get(&name(number)).map(answer_text).filter(|value| !value.is_empty());
            let value = value.unwrap_or_else(|| "(no answer)".to_owned());
            format!("{}\n> {}\n", question.question.trim(), value.replace('\n', "\n> "))
        };
        self.questions.iter().enumerate().map(answer).collect::<Vec<_>>().join("\n")
    }
}

/// The name of a question's field in the form.
fn name(number: usize) -> String {
    format!("answer{}", number + 1)
}

fn answer_text(value: &ElicitationContentValue) -> String {
    match value {
        ElicitationContentValue::String(text) => text.clone(),
        ElicitationContentValue::Integer(number) => number.to_string(),
        ElicitationContentValue::Number(number) => number.to_string(),
        ElicitationContentValue::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
        ElicitationContentValue::StringArray(texts) => texts.join(", "),
    }
}

impl Tool for Ask {
    fn spec(&self) -> ToolSpec {
        let question = json!({
            "type": "object",
            "properties": {
                "question": text("The question."),
                "options": {"type": "array", "items": {"type": "string"}, "description": "The options; without options, the answer is free text."},
                "several": yes_no("Several options may be chosen. Default false."),
            },
            "required": ["question"],
        });
        spec(
            "ask",
            "Ask the person what you cannot find out or decide yourself. Never ask for passwords or keys.",
            json!({"questions": {"type": "array", "minItems": 1, "items": question}}),
            &["questions"],
        )
    }

    fn name(&self) -> &str {
        "ask"
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Other
    }

    fn title(&self) -> String {
        match self.questions.as_slice() {
            [only] => format!("Ask: {}", only.question),
            several => format!("Ask {}", counted(several.len() as u64, "question")),
        }
    }

    fn input(&self) -> Value {
        json!(self)
    }

    fn lengths(&self) -> Vec<Length> {
        vec![Length::of_words(self.length())]
    }

    fn touches(&self) -> Touch<'_> {
        Touch::Nothing
    }

    fn prepare<'t>(
        &'t self,
        _toolbox: &'t Toolbox<'_>,
        _paths: &'t ResolvedPaths,
    ) -> PrepareFuture<'t> {
        Box::pin(ready(self.form().map(|_| Prepared::default()).map_err(PrepareError::from)))
    }

    fn run<'t>(
        &'t self,
        toolbox: &'t mut Toolbox<'_>,
        call: ApprovedCall,
    ) -> ToolFuture<'t, ToolResult> {
        Box::pin(self.ask(toolbox, call))
    }
}

impl Ask {
    /// Asks the person, and waits for the answer. If the client does not support forms, the agent
    /// asks in its text, and the turn ends with the question.
    async fn ask(&self, toolbox: &Toolbox<'_>, call: ApprovedCall) -> Result<ToolResult> {
        let form = match self.form() {
            Ok(form) => form,
            Err(why) => return toolbox.failed(call.announce().await?, &why).await,
        };
        let (handle, _, _) = call.start().await?;
        let elicited = match toolbox.turn.client_shows_forms() {
            true => toolbox.turn.elicit_about(&handle, self.message(), form).await,
            false => toolbox.turn.ask(self.message(), form).await,
        };
        let (text, finding) = match elicited {
            Ok(Elicited::Accepted(values)) => (self.answered(&values), Finding::Nothing),
            Ok(Elicited::Declined) => (
                "The person declined to answer. Continue without an answer, or say what is missing."
                    .to_owned(),
                Finding::NotAllowed,
            ),
            Ok(Elicited::Cancelled) => (
                "The person dismissed the question. Continue without an answer, or say what is missing."
                    .to_owned(),
                Finding::NotAllowed,
            ),
            Ok(Elicited::AskedInText) => (
                "The question was shown to the person. Their next prompt is the answer.".to_owned(),
                Finding::Asked,
            ),
            Ok(Elicited::Unusable(why)) => {
                return toolbox.failed(handle, &format!("the question got no answer: {why}")).await;
            }
            Ok(_) => {
                return toolbox
                    .failed(handle, "the client answered the question in an unknown form")
                    .await;
            }
            Err(Error::Client(error)) => {
                return toolbox.failed(handle, &format!("the client could not show the form: {error}")).await;
            }
            Err(error) => return Err(error),
        };
        answered(handle, text, finding).await
    }
}

async fn answered(
    mut handle: ToolCallHandle,
    text: String,
    finding: Finding,
) -> Result<ToolResult> {
    handle.text(text.as_str()).await?;
    handle.complete().await?;
    Ok(ToolResult::done(text, finding))
}

#[cfg(test)]
mod tests {
    use super::{Ask, Question};

    fn ask(questions: &[(&str, &[&str], bool)]) -> Ask {
        let question = |(question, options, several): &(&str, &[&str], bool)| Question {
            question: (*question).to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            several: *several,
        };
        Ask { questions: questions.iter().map(question).collect() }
    }

    #[test]
    fn invalid_questions_are_refused_in_a_sentence() {
        let many: Vec<_> = (0..9).map(|_| ("q", &[][..], false)).collect();
        for wrong in [ask(&[]), ask(&[(" ", &["a"], false)]), ask(&many)] {
            assert!(wrong.form().is_err(), "{wrong:?}");
        }
        let form =
            ask(&[("Which?", &["a", "a", "", "b"], false), ("Why?", &[], true)]).form().unwrap();
        let form = attache_protocol::encode(&form);
        assert!(form.contains(r#""enum":["a","b"]"#), "{form}");
        assert!(form.contains(r#""required":["answer1"]"#), "{form}");
    }
}
