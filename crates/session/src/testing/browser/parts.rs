//! What is in modules of its own in the extension, called at once.

use super::*;

impl CodeParts for FakeBrowser {
    async fn run_turn(turn: TurnTask<Self>) {
        turn.run().await;
    }

    async fn make_eval(eval: EvalTask<Self>) {
        eval.run().await;
    }

    async fn revive_turns(actor: &mut Actor<Self>) {
        actor.revive_turns().await;
    }

    async fn thread_view(
        actor: &mut Actor<Self>,
        thread: &ThreadId,
    ) -> Result<Option<ThreadView>, ReadError> {
        actor.thread_view(thread).await
    }

    async fn answer(actor: &mut Actor<Self>, link: LinkId, request: Request, is_told: bool) {
        actor.answer(link, request, is_told).await;
    }

    async fn deal_with_turn(actor: &mut Actor<Self>, event: TurnEvent) {
        actor.deal_with_turn(event).await;
    }

    async fn run_lifecycle(browser: Self, queue: LifecycleQueue) {
        run_lifecycle(browser, queue).await;
    }

    async fn deal_with_requested(actor: &mut Actor<Self>, event: RequestEvent) {
        actor.deal_with_requested(event).await;
    }

    async fn make_page_call(call: PageCallTask<Self>) {
        call.run().await;
    }

    async fn make_hand_run(run: HandRunTask<Self>) {
        run.run().await;
    }

    async fn look_at_page(browser: Self, look: SkillLook) {
        look_at_page(browser, look).await;
    }

    fn prefetch(&self) {}
}

impl SkillParts for FakeBrowser {
    async fn run_skill(call: SkillCall<'_, Self>) -> ToolOutcome {
        call.run().await
    }

    async fn run_page_call(call: PageCallRun<Self>) -> ToolOutcome {
        call.run().await
    }
}
