//! Replaces the pepper of API keys in three deployments, so that no key stops working (docs/runbook.md). Pure: adds
//! steps to the plan of a deployment.

use crate::plan::{Refusal, Step};
use crate::record::{PepperChange, Record};
use crate::worker_config::{PEPPER, SECOND_PEPPER};

/// The longest time that an upload takes: `UPLOAD_MAX_SECONDS` in wrangler.toml. Until then, a request may still be
/// running on a Worker without the new pepper, which would refuse a key that has moved.
const LONGEST_UPLOAD_SECONDS: u64 = 7_200;

/// A step of the replacement: one of three deployments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PepperStep {
    /// Generate a new pepper, which the Worker accepts from now on.
    Begin,
    /// Hash new keys with the new pepper. The old pepper is still accepted, and a key moves when it is next used.
    Switch,
    /// Stop accepting the old pepper.
    End,
}

/// Adds the steps to the plan of a deployment, or returns the reason why they must wait. Each of the three deployments
/// may be repeated.
pub fn add_steps(
    steps: &mut Vec<Step>,
    pepper_step: PepperStep,
    has_second: bool,
    record: &Record,
    now_unix: u64,
) -> Result<(), Refusal> {
    check(pepper_step, has_second, record, now_unix)?;
    match pepper_step {
        PepperStep::Begin => {
            deploy_with(steps, &[SECOND_PEPPER]);
            steps.push(Step::RecordNewPepper);
        }
        PepperStep::Switch => {
            deploy_with(steps, &[PEPPER, SECOND_PEPPER]);
            steps.insert(0, Step::SwitchPeppers);
        }
        PepperStep::End => steps.push(Step::EndOldPepper),
    }
    Ok(())
}

fn deploy_with(steps: &mut [Step], names: &[&str]) {
    for step in steps {
        if let Step::DeployWorker { new_secrets, .. } = step {
            new_secrets.extend(names.iter().map(|name| (*name).to_owned()));
        }
    }
}

fn check(pepper_step: PepperStep, has_second: bool, record: &Record, now_unix: u64) -> Result<(), Refusal> {
    let knows = |name: &str| record.secrets.contains_key(name);
    match (pepper_step, record.pepper_change) {
        (PepperStep::Begin, _) if !knows(PEPPER) => Err(Refusal::UnknownPepper),
        (PepperStep::Begin, _) if has_second && !knows(SECOND_PEPPER) => Err(Refusal::ForeignPepper),
        (PepperStep::Begin, Some(PepperChange { is_switched: true, .. })) => Err(Refusal::PepperSwitched),
        (PepperStep::Switch, Some(PepperChange { begun_at_unix, is_switched: false }))
            if now_unix < begun_at_unix + LONGEST_UPLOAD_SECONDS =>
        {
            let seconds = begun_at_unix + LONGEST_UPLOAD_SECONDS - now_unix;
            Err(Refusal::TooEarlyToSwitch { minutes: seconds.div_ceil(60) })
        }
        (PepperStep::Switch, None) => Err(Refusal::NoPepperChange),
        (PepperStep::End, None | Some(PepperChange { is_switched: false, .. })) => Err(Refusal::PepperNotSwitched),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_UPLOAD_SECONDS, PepperStep, add_steps};
    use crate::plan::{Refusal, Step};
    use crate::record::{PepperChange, Record};

    const BEGUN: u64 = 1_000;
    const LATER: u64 = BEGUN + LONGEST_UPLOAD_SECONDS;

    fn record(secrets: &[&str], is_switched: Option<bool>) -> Record {
        let mut record = Record::default();
        record.secrets.extend(secrets.iter().map(|name| ((*name).to_owned(), "value".to_owned())));
        record.pepper_change = is_switched.map(|is_switched| PepperChange { begun_at_unix: BEGUN, is_switched });
        record
    }

    fn steps(pepper_step: PepperStep, record: &Record, now_unix: u64) -> Result<Vec<Step>, Refusal> {
        let mut steps = vec![Step::Migrate, Step::DeployWorker { new_secrets: Vec::new(), replaced: Vec::new() }];
        let has_second = record.pepper_change.is_some();
        add_steps(&mut steps, pepper_step, has_second, record, now_unix).map(|()| steps)
    }

    fn deploy(names: &[&str]) -> Step {
        Step::DeployWorker { new_secrets: names.iter().map(|name| (*name).to_owned()).collect(), replaced: Vec::new() }
    }

    #[test]
    fn the_worker_knows_both_peppers_before_and_after_the_switch() {
        let first = steps(PepperStep::Begin, &record(&["KEY_PEPPER"], None), BEGUN);
        assert_eq!(first, Ok(vec![Step::Migrate, deploy(&["KEY_PEPPER_SECOND"]), Step::RecordNewPepper]));
        let begun = record(&["KEY_PEPPER", "KEY_PEPPER_SECOND"], Some(false));
        let both = deploy(&["KEY_PEPPER", "KEY_PEPPER_SECOND"]);
        assert_eq!(steps(PepperStep::Switch, &begun, LATER), Ok(vec![Step::SwitchPeppers, Step::Migrate, both]));
        let switched = record(&["KEY_PEPPER", "KEY_PEPPER_SECOND"], Some(true));
        assert_eq!(steps(PepperStep::End, &switched, LATER), Ok(vec![Step::Migrate, deploy(&[]), Step::EndOldPepper]));
    }

    #[test]
    fn each_of_the_three_may_be_repeated() {
        let begun = record(&["KEY_PEPPER", "KEY_PEPPER_SECOND"], Some(false));
        assert!(steps(PepperStep::Begin, &begun, BEGUN).is_ok());
        let switched = record(&["KEY_PEPPER", "KEY_PEPPER_SECOND"], Some(true));
        assert!(
            steps(PepperStep::Switch, &switched, BEGUN).is_ok() && steps(PepperStep::End, &switched, BEGUN).is_ok()
        );
    }

    #[test]
    fn a_change_out_of_order_is_refused() {
        let nothing = record(&["KEY_PEPPER"], None);
        let begun = record(&["KEY_PEPPER", "KEY_PEPPER_SECOND"], Some(false));
        let switched = record(&["KEY_PEPPER", "KEY_PEPPER_SECOND"], Some(true));
        for (pepper_step, record, now_unix, refusal) in [
            (PepperStep::Begin, &record(&[], None), LATER, Refusal::UnknownPepper),
            (PepperStep::Begin, &switched, LATER, Refusal::PepperSwitched),
            (PepperStep::Switch, &nothing, LATER, Refusal::NoPepperChange),
            (PepperStep::Switch, &begun, LATER - 61, Refusal::TooEarlyToSwitch { minutes: 2 }),
            (PepperStep::End, &nothing, LATER, Refusal::PepperNotSwitched),
            (PepperStep::End, &begun, LATER, Refusal::PepperNotSwitched),
        ] {
            assert_eq!(steps(pepper_step, record, now_unix), Err(refusal), "{pepper_step:?}");
        }
        let foreign = add_steps(&mut Vec::new(), PepperStep::Begin, true, &nothing, BEGUN);
        assert_eq!(foreign, Err(Refusal::ForeignPepper));
    }

    #[test]
    fn the_longest_upload_is_that_of_the_worker() {
        let config: toml::Table = toml::from_str(include_str!("../../../wrangler.toml")).unwrap();
        assert_eq!(config["vars"]["UPLOAD_MAX_SECONDS"].as_str(), Some(LONGEST_UPLOAD_SECONDS.to_string().as_str()));
    }
}
