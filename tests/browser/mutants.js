// Plays files at the same time, and returns for how many seconds each plays.
//
// OPTIONS is replaced by { addresses, rate, slack, most, patience }: the files, the playback rate, the seconds that a
// player may be ahead, the seconds after which a file is too long, and the milliseconds after which a player that shows
// nothing new is stuck.
const options = OPTIONS;

const play = address => new Promise(resolve => {
    const video = document.body.appendChild(document.createElement('video'));
    // At the end, Chromium jumps to the length that the header declares. The skipped part was not played.
    let seconds = 0, time = 0, seen = performance.now();
    const played = () => {
        const passed = (performance.now() - seen) / 1000, went = video.currentTime - time;
        seconds += Math.max(0, Math.min(went, passed * options.rate + options.slack));
        [time, seen] = [video.currentTime, performance.now()];
        return seconds;
    };
    const finish = outcome => {
        clearTimeout(timer);
        clearInterval(sampler);
        const result = { outcome, seconds: played(), pictures: video.getVideoPlaybackQuality().totalVideoFrames };
        video.remove();
        video.removeAttribute('src');
        resolve(result);
    };
    const wait = () => setTimeout(() => finish('stuck'), options.patience);
    let timer = wait();
    const sampler = setInterval(played, 50);
    video.addEventListener('ended', () => finish('ended'));
    video.addEventListener('error', () => finish('refused'));
    video.addEventListener('timeupdate', () => {
        clearTimeout(timer);
        timer = wait();
        if (played() > options.most) finish('too long');
    });
    video.muted = true;
    video.src = address;
    video.playbackRate = options.rate;
    video.play().catch(() => {});
});
return Promise.all(options.addresses.map(play));
