//! Validation of plans, without I/O.

use std::collections::HashSet;

use http_kit::FieldProblem;
use kernel::UserId;

use super::model::{DepartureAction, DepartureChoice, DepartureHoldings, DeparturePlan, HoldingKind};
use crate::check::Check;

use DepartureAction::{Delete, HandOver, Keep, Save};

/// The actions that are possible for a kind.
pub(super) fn actions(kind: HoldingKind) -> &'static [DepartureAction] {
    match kind {
        HoldingKind::Instance => &[Save, Delete],
        HoldingKind::Dataset | HoldingKind::Image => &[HandOver, Delete],
        HoldingKind::Group => &[HandOver, Keep],
        HoldingKind::Files => &[HandOver, Delete, Keep],
        HoldingKind::Account => &[Delete],
    }
}

/// The users in a plan who may receive something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receivers<'a> {
    /// Those who exist and are not disabled.
    pub(super) active: &'a HashSet<UserId>,
    /// Those who are leaving themselves.
    pub(super) leaving: &'a HashSet<UserId>,
}

/// Returns the invalid fields of a plan for these holdings.
pub(super) fn faults(
    plan: &DeparturePlan,
    holdings: &DepartureHoldings,
    receivers: Receivers<'_>,
) -> Vec<FieldProblem> {
    let mut check = Check::default();
    let leaver = holdings.user.id;
    for (kind, field) in [
        (HoldingKind::Instance, "plan.instances"),
        (HoldingKind::Dataset, "plan.datasets"),
        (HoldingKind::Image, "plan.images"),
        (HoldingKind::Group, "plan.groups"),
        (HoldingKind::Files, "plan.files"),
    ] {
        check_choice(&mut check, kind, plan.of_kind(kind), (leaver, receivers), field);
    }
    let mut seen = HashSet::new();
    for one in &plan.exceptions {
        let choice = DepartureChoice { action: one.action, receiver: one.receiver };
        check_choice(&mut check, one.kind, choice, (leaver, receivers), "plan.exceptions");
        check
            .that(has(holdings, one.kind, &one.object), "plan.exceptions", "计划中有此人已经没有的东西，请刷新后再试")
            .that(seen.insert((one.kind, one.object.as_str())), "plan.exceptions", "计划中有重复的东西");
    }
    check.that(plan.exceptions.len() <= 1000, "plan.exceptions", "单独处理的最多 1000 项");
    check.faults()
}

/// The plan without what the user no longer has, because others handled it meanwhile.
pub(super) fn held_part(plan: &DeparturePlan, holdings: &DepartureHoldings) -> DeparturePlan {
    let mut plan = plan.clone();
    plan.exceptions.retain(|one| has(holdings, one.kind, &one.object));
    plan
}

fn check_choice(
    check: &mut Check,
    kind: HoldingKind,
    choice: DepartureChoice,
    (leaver, receivers): (UserId, Receivers<'_>),
    field: &str,
) {
    check.that(actions(kind).contains(&choice.action), field, "不能这样处理");
    let needs = matches!(choice.action, HandOver | Save);
    match choice.receiver {
        None => {
            check.that(!needs, field, "请选择接手的人");
        }
        Some(receiver) => {
            check
                .that(needs, field, "这样处理不需要接手的人")
                .that(receiver != leaver, field, "不能由离开的人自己接手")
                .that(receivers.active.contains(&receiver), field, "接手的人已不存在或已禁用，请换一个人")
                .that(!receivers.leaving.contains(&receiver), field, "接手的人自己也在办理离开，请换一个人");
        }
    }
}

fn has(holdings: &DepartureHoldings, kind: HoldingKind, object: &str) -> bool {
    match kind {
        HoldingKind::Instance => holdings.instances.iter().any(|one| one.id == object),
        HoldingKind::Dataset => holdings.datasets.iter().any(|one| one.id == object),
        HoldingKind::Image => holdings.images.iter().any(|one| one.id == object),
        HoldingKind::Group => holdings.groups.iter().any(|one| one.id == object),
        HoldingKind::Files | HoldingKind::Account => false,
    }
}
