//! Runs calls that only read files, and shows their results.

use crate::tools::approved_call::ApprovedCall;
use crate::tools::files::file_access::run_reading;
use crate::tools::findings::Unreadable;
use crate::tools::fit::code_block;
use crate::tools::thread::CancelFlag;
use crate::tools::tool_result::{Finding, Reading, ToolResult};
use crate::tools::toolbox::Toolbox;
use attache_agent::{Result, ToolCallHandle};
use attache_policy::Place;
use attache_protocol::Raw;
use attache_protocol::v1::{ContentBlock, ToolCallUpdate};

impl Toolbox<'_> {
    /// Runs a call that reads at its only path, and completes or fails it. `work` blocks on disk
    /// I/O.
    pub(crate) async fn read_and_settle<T: Send + 'static>(
        &self,
        call: ApprovedCall,
        work: impl FnOnce(&Place, &CancelFlag) -> std::result::Result<T, String> + Send + 'static,
        finding: fn(T) -> Finding,
    ) -> Result<Reading> {
        let (handle, approval, _) = call.start().await?;
        let found = run_reading(self.turn, move |wanted| work(approval.paths.only()?, wanted));
        self.settle_read(handle, found.await?.map(finding)).await
    }

    /// Completes or fails a call that has read files.
    pub(crate) async fn settle_read(
        &self,
        handle: ToolCallHandle,
        found: std::result::Result<Finding, String>,
    ) -> Result<Reading> {
        match found {
            Ok(finding) => self.found(handle, finding).await.map(Reading::from),
            Err(why) => self.unreadable(handle, Unreadable::Other(why)).await.map(Reading::from),
        }
    }

    /// Shows the result of a call, and completes it.
    pub(crate) async fn found(
        &self,
        mut handle: ToolCallHandle,
        finding: Finding,
    ) -> Result<ToolResult> {
        let (update, text) = self.described(&finding);
        handle.update(update).await?;
        handle.complete().await?;
        Ok(ToolResult::done(text, finding))
    }

    /// Fails a call that could not read anything.
    pub(crate) async fn unreadable(
        &self,
        handle: ToolCallHandle,
        reason: Unreadable,
    ) -> Result<ToolResult> {
        let mut result = self.failed(handle, reason.sentence()).await?;
        result.finding = Finding::Unreadable(reason);
        Ok(result)
    }

    /// The update for the client about a result, and the text for the model.
    fn described(&self, finding: &Finding) -> (ToolCallUpdate, String) {
        let mut update = ToolCallUpdate::new("");
        let (shown, raw, text) = match finding {
            Finding::Lines(lines) => (code_block(&lines.text), lines.raw_output(), lines.text()),
            Finding::Found(found) => (found.count(), found.raw_output(), found.text()),
            Finding::Files(files) => (files.count(), files.raw_output(), files.text()),
            Finding::Matches(matches) => {
                let locations = matches.locations(&self.memory.folders);
                update.locations = Some(locations).filter(|locations| !locations.is_empty());
                (matches.count(), matches.raw_output(), matches.text())
            }
            _ => return (update, String::new()),
        };
        update.content = Some(vec![ContentBlock::text(shown).into()]);
        update.raw_output = Some(Raw::from(raw));
        (update, text)
    }
}
