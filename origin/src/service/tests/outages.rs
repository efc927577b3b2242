//! Origins while the edge or the queue does not answer.

use super::world::{SharedWorld, World};
use super::*;
use tokio::task::JoinHandle;

/// Origins that run until they are stopped.
struct Origins {
    stop: CancellationToken,
    running: Vec<JoinHandle<Result<(), FatalError>>>,
    folders: Vec<TempDir>,
}

const SETTINGS: PullSettings = PullSettings {
    jobs: 2,
    visibility: Duration::from_mins(17),
    poll_interval: Duration::from_millis(300),
    min_free_bytes: 0,
    shutdown_grace: Duration::from_secs(25),
    backlog_interval: Duration::from_secs(15),
};

impl Origins {
    fn start(url: &str, count: usize) -> Self {
        let folders: Vec<_> = (0..count).map(|_| tempfile::tempdir().unwrap()).collect();
        let stop = CancellationToken::new();
        let start = |(number, folder)| {
            let context = JobContext { origin: format!("origin-{number}"), ..job_context(url, folder) };
            tokio::spawn(service_with(url, context, SETTINGS).run(stop.clone()))
        };
        Self { running: folders.iter().enumerate().map(start).collect(), stop, folders }
    }

    /// Stops the origins, and returns how long that took.
    async fn stop(&mut self) -> Duration {
        let started = tokio::time::Instant::now();
        self.stop.cancel();
        for origin in self.running.drain(..) {
            origin.await.unwrap().unwrap();
        }
        started.elapsed()
    }

    /// Returns the number of leases that an origin keeps on disk.
    fn leases_on_disk(&self) -> usize {
        let files = self.folders.iter().flat_map(|folder| std::fs::read_dir(folder.path()).unwrap());
        files.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("lease-")).count()
    }
}

fn all_reported(world: &World) -> bool {
    world.jobs.iter().all(|job| job.is_reported)
}

fn all_settled(world: &World) -> bool {
    world.jobs.iter().all(|job| job.is_settled)
}

#[tokio::test(start_paused = true)]
async fn after_an_hour_without_the_edge_all_work_ends_within_a_minute_and_nothing_is_done_twice() {
    for away_after_claims in [1, 5, 6, 7] {
        let (world, url) = SharedWorld::serve(16).await;
        world.lock().away_after_claims = Some(away_after_claims);
        let mut origins = Origins::start(&url, 2);
        world.until(|world| world.edge_is_away).await;
        tokio::time::sleep(Duration::from_mins(1)).await;
        let deliveries = |world: &World| world.jobs.iter().map(|job| job.deliveries).sum::<u32>();
        let before = deliveries(&world.lock());
        tokio::time::sleep(Duration::from_mins(59)).await;
        assert_eq!(deliveries(&world.lock()), before, "a message was pulled while the edge was away");
        world.lock().edge_is_away = false;
        let ended_after = world.until(all_reported).await;
        assert!(ended_after < Duration::from_mins(1), "{ended_after:?}");
        world.until(all_settled).await;
        for job in &world.lock().jobs {
            assert_eq!((job.downloads, job.claims), (1, 1), "{job:?}");
        }
        println!("outage: an hour after {away_after_claims} claims; all work ended {ended_after:?} after it");
        origins.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_hour_without_the_object_store_costs_the_running_jobs_one_attempt_and_the_others_none() {
    let (world, url) = SharedWorld::serve(16).await;
    let mut origins = Origins::start(&url, 2);
    world.until(|world| world.jobs.iter().any(|job| job.is_reported)).await;
    world.lock().store_is_away = true;
    tokio::time::sleep(Duration::from_hours(1)).await;
    world.lock().store_is_away = false;
    let ended_after = world.until(all_reported).await;
    assert!(ended_after < Duration::from_mins(1), "{ended_after:?}");
    let attempts: Vec<_> = world.lock().jobs.iter().map(|job| job.claims).collect();
    assert!(attempts.iter().all(|attempts| *attempts <= 2), "{attempts:?}");
    let repeated = attempts.iter().sum::<usize>() - attempts.len();
    // Until the first failure, each freed permit causes one more pull.
    assert!((1..=8).contains(&repeated), "{attempts:?}");
    println!("outage: an hour without the store; all work ended {ended_after:?} after it, claims {attempts:?}");
    origins.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_claim_alone_stays_unanswered_goes_back_to_the_queue() {
    let (world, url) = SharedWorld::serve(1).await;
    world.lock().claims_fail = true;
    let mut origins = Origins::start(&url, 1);
    let returned_after = world.until(|world| world.jobs[0].deliveries == 2).await;
    assert!(returned_after < Duration::from_mins(2), "{returned_after:?}");
    world.lock().claims_fail = false;
    world.until(all_settled).await;
    origins.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_origin_stops_in_time_although_a_report_waits_for_the_edge() {
    let (world, url) = SharedWorld::serve(1).await;
    let mut origins = Origins::start(&url, 1);
    world.until(|world| world.jobs[0].downloads == 1).await;
    world.lock().edge_is_away = true;
    tokio::time::sleep(Duration::from_mins(10)).await;
    let took = origins.stop().await;
    assert!(took < SETTINGS.shutdown_grace + Duration::from_secs(10), "{took:?}");
    assert_eq!(origins.leases_on_disk(), 0);
    world.lock().edge_is_away = false;
    let mut others = Origins::start(&url, 1);
    let taken_over_after = world.until(all_reported).await;
    assert!(taken_over_after < Duration::from_mins(2), "{taken_over_after:?}");
    others.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_settlement_that_the_queue_does_not_answer_is_repeated() {
    let (world, url) = SharedWorld::serve(2).await;
    world.lock().settlements_fail = true;
    let mut origins = Origins::start(&url, 1);
    world.until(all_reported).await;
    tokio::time::sleep(Duration::from_mins(1)).await;
    world.lock().settlements_fail = false;
    let took = world.until(all_settled).await;
    assert!(took <= Duration::from_secs(10), "{took:?}");
    assert!(world.lock().jobs.iter().all(|job| job.deliveries == 1));
    origins.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_origin_that_stops_keeps_the_leases_that_the_queue_did_not_settle_for_its_next_start() {
    let (world, url) = SharedWorld::serve(1).await;
    world.lock().settlements_fail = true;
    let mut origins = Origins::start(&url, 1);
    world.until(all_reported).await;
    origins.stop().await;
    assert_eq!(origins.leases_on_disk(), 1);
    let folder = origins.folders.pop().unwrap();
    let running = tokio::spawn(service_with(&url, job_context(&url, &folder), SETTINGS).run(origins.stop.clone()));
    running.await.unwrap().unwrap();
    // The queue still fails, so this start has kept the lease on disk.
    let stop = CancellationToken::new();
    let running = tokio::spawn(service_with(&url, job_context(&url, &folder), SETTINGS).run(stop.clone()));
    tokio::time::sleep(Duration::from_mins(1)).await;
    world.lock().settlements_fail = false;
    let took = world.until(all_settled).await;
    assert!(took < Duration::from_mins(1), "{took:?}");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_second_message_of_a_content_waits_for_the_first_and_costs_no_further_delivery() {
    let (world, url) = SharedWorld::serve(1).await;
    let mut origins = Origins::start(&url, 1);
    world.until(|world| world.jobs[0].downloads == 1).await;
    world.lock().show_again(0);
    world.until(all_settled).await;
    let job = world.lock().jobs[0].clone();
    assert_eq!((job.deliveries, job.downloads), (2, 1), "{job:?}");
    origins.stop().await;
}
