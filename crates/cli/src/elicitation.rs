//! Forms and pages from agents, which the person answers at the terminal.

mod dialog;
mod one_choice;

use crate::key;
use crate::show::paint::{BOLD, DIM, Paint, YELLOW};
use attache_client::{Form, FormReply, FormRequest, Options, UrlReply, UrlRequest};
use attache_protocol::Map;
use attache_protocol::v1::{ElicitationContentValue as Value, ElicitationPropertySchema as Field};
use attache_view::sanitize;
use dialog::{asks, pressed, say, shown, text_of, titles};
use one_choice::OneChoice;
use std::io;
use tokio::sync::{mpsc, oneshot};

/// The capacity of the queue of requests. While the queue is full, the agent waits.
const WAITING: usize = 16;

/// A request from an agent, and the sender for its reply. The sender's channel closes if the
/// request is withdrawn.
pub(crate) enum Elicitation {
    Form(Box<FormRequest>, oneshot::Sender<FormReply>),
    Page(Box<UrlRequest>, oneshot::Sender<UrlReply>),
}

/// How forms are answered without asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum FormAnswer {
    /// With the values that the form suggests; the form is declined if they are invalid
    Defaults,
    /// The form is declined
    Decline,
}

/// Announces support for forms and answers them without asking a person. Shows each form on stderr
/// if `is_told` is true. Pages need a person, so support for them is not announced.
pub(crate) fn answered(options: Options, answer: FormAnswer, is_told: bool) -> Options {
    options.forms(move |request| async move {
        let values = request.form.defaults();
        let fits = request.form.check(&values);
        let paint = Paint::of(&io::stderr());
        let mut lines = asks(&request.agent, "asks", &request.message, paint);
        let answer = match (answer, fits) {
            (FormAnswer::Decline, _) => {
                lines.push("  declined".to_owned());
                FormReply::Decline
            }
            (FormAnswer::Defaults, Err(misfilled)) => {
                lines.push(format!(
                    "  declined, as it suggests no answer: {}",
                    shown(&misfilled.to_string())
                ));
                FormReply::Decline
            }
            (FormAnswer::Defaults, Ok(())) => {
                lines.extend(answers(&values));
                FormReply::Accept(values)
            }
        };
        if is_told {
            say(&lines);
        }
        answer
    })
}

/// Announces support for forms and pages, and sends each request to the receiver. A request is
/// declined if the receiver was dropped. A request without a session is declined too: it belongs to
/// a call of this client, which would wait for the answer, but people are asked only during turns.
pub(crate) fn offered(options: Options) -> (Options, mpsc::Receiver<Elicitation>) {
    let (sender, receiver) = mpsc::channel(WAITING);
    let pages = sender.clone();
    let options = options
        .forms(move |request| {
            let sender = sender.clone();
            async move {
                if request.session_id.is_none() {
                    return FormReply::Decline;
                }
                let (answer, answered) = oneshot::channel();
                let _ = sender.send(Elicitation::Form(Box::new(request), answer)).await;
                answered.await.unwrap_or(FormReply::Decline)
            }
        })
        .pages(move |request| {
            let sender = pages.clone();
            async move {
                if request.session_id.is_none() {
                    return UrlReply::Decline;
                }
                let (answer, answered) = oneshot::channel();
                let _ = sender.send(Elicitation::Page(Box::new(request), answer)).await;
                answered.await.unwrap_or(UrlReply::Decline)
            }
        });
    (options, receiver)
}

/// Lets the person fill in the form field by field and review it before it is sent (ELIC-08). A
/// form with one choice is answered in one step.
///
/// # Errors
/// Returns an error if the terminal cannot be read.
pub(crate) async fn fill(request: &FormRequest) -> io::Result<FormReply> {
    let paint = Paint::of(&io::stderr());
    say(&asks(&request.agent, "asks", &request.message, paint));
    let form = &request.form;
    let fields = &form.schema().properties.0;
    let unknown = |name: &str| {
        form.schema().properties.get(name).is_none_or(|field| matches!(field, Field::Unknown(_)))
    };
    if let Some(name) = form.schema().required.iter().flatten().find(|name| unknown(name)) {
        let name = shown(name);
        say(&[format!("  the field {name} has an unknown type, so the form cannot be filled in")]);
        return Ok(match pressed("decline or cancel? [n/c] ", b"nc").await? {
            'n' => FormReply::Decline,
            _ => FormReply::Cancel,
        });
    }
    if let Some(choice) = OneChoice::of(form) {
        return choice.asked(paint).await;
    }
    match pressed("fill it in? [y/n/c] ", b"ync").await? {
        'y' => {}
        'n' => return Ok(FormReply::Decline),
        _ => return Ok(FormReply::Cancel),
    }
    let mut values = form.defaults();
    loop {
        for (name, field) in fields {
            if !matches!(field, Field::Unknown(_))
                && !filled(form, name, field, &mut values, paint).await?
            {
                return Ok(FormReply::Cancel);
            }
        }
        say(&[format!("  {}", paint.paint(BOLD, "your answer"))]);
        say(&answers(&values));
        let keys = match form.check(&values) {
            Ok(()) => {
                pressed("send it? y sends, e edits, n declines, c cancels [y/e/n/c] ", b"yenc")
                    .await?
            }
            Err(misfilled) => {
                say(&[format!("  {}", paint.paint(YELLOW, shown(&misfilled.to_string())))]);
                pressed("e edits, n declines, c cancels [e/n/c] ", b"enc").await?
            }
        };
        match keys {
            'y' => return Ok(FormReply::Accept(values)),
            'e' => {}
            'n' => return Ok(FormReply::Decline),
            _ => return Ok(FormReply::Cancel),
        }
    }
}

/// Lets the person fill in one field. Returns false if they end the input.
async fn filled(
    form: &Form,
    name: &str,
    field: &Field,
    values: &mut Map<Value>,
    paint: Paint,
) -> io::Result<bool> {
    let (title, description) = titles(field);
    let mut lines = vec![format!("  {}", paint.paint(BOLD, shown(title.unwrap_or(name))))];
    lines.extend(description.map(|text| format!("    {}", shown(text))));
    let choices = Form::choices(field).unwrap_or_default();
    lines.extend(
        choices
            .iter()
            .enumerate()
            .map(|(index, (_, title))| format!("    [{}] {}", index + 1, shown(title))),
    );
    if form.is_unchecked(name) {
        lines.push(format!(
            "    {}",
            paint.paint(DIM, "this program cannot check the pattern; the agent does")
        ));
    }
    say(&lines);
    loop {
        let before = values.get(name).map(|value| format!("[{}] ", text_of(value)));
        let may = if form.is_required(name) { "" } else { "(- to leave empty) " };
        let prompt = format!("    {}{may}> ", before.as_deref().unwrap_or_default());
        let Some(typed) = key::line(prompt).await? else { return Ok(false) };
        if typed.is_empty() && (before.is_some() || !form.is_required(name)) {
            return Ok(true);
        }
        let old = values.0.iter().position(|(field, _)| field == name);
        if typed == "-" && !form.is_required(name) {
            old.map(|index| values.0.remove(index));
            return Ok(true);
        }
        match form.read(name, &typed) {
            Ok(value) => {
                match old.and_then(|index| values.0.get_mut(index)) {
                    Some((_, old)) => *old = value,
                    None => values.0.push((name.to_owned(), value)),
                }
                return Ok(true);
            }
            Err(misfilled) => {
                say(&[format!("    {}", paint.paint(YELLOW, shown(&misfilled.to_string())))])
            }
        }
    }
}

/// Shows the whole address of the page. The person opens the page after agreeing; this program
/// never opens it (ELIC-09, ELIC-10).
///
/// # Errors
/// Returns an error if the terminal cannot be read.
pub(crate) async fn open(request: &UrlRequest) -> io::Result<UrlReply> {
    let paint = Paint::of(&io::stderr());
    let mut lines = asks(&request.agent, "wants you to open a page", &request.message, paint);
    // The address is not wrapped, so that it can be copied from the terminal.
    lines.push(format!("  {}", sanitize::visible(request.address.as_str())));
    lines.push(format!(
        "  it leads to {}",
        paint.paint(BOLD, sanitize::visible(request.address.host()))
    ));
    let warnings = request.address.warnings().iter();
    lines.extend(warnings.map(|why| format!("  {} {why}", paint.paint(YELLOW, "!"))));
    say(&lines);
    Ok(match pressed("agree, and open it yourself? [y/n/c] ", b"ync").await? {
        'y' => UrlReply::Accept,
        'n' => UrlReply::Decline,
        _ => UrlReply::Cancel,
    })
}

/// Returns the answers, one per line.
fn answers(values: &Map<Value>) -> Vec<String> {
    values
        .0
        .iter()
        .map(|(name, value)| format!("    {}: {}", shown(name), text_of(value)))
        .collect()
}
