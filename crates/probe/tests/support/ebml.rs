//! Matroska files built by hand, for cases that no muxer writes.

/// Returns an element whose size is encoded in eight bytes.
pub fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    let size = u64::try_from(body.len()).expect("a small element") | 1 << 56;
    [id, &size.to_be_bytes(), body].concat()
}

/// Returns the header of an element of unknown size.
pub fn endless(id: &[u8]) -> Vec<u8> {
    [id, &[0xFF]].concat()
}

pub const SEGMENT: &[u8] = &[0x18, 0x53, 0x80, 0x67];
pub const CLUSTER: &[u8] = &[0x1F, 0x43, 0xB6, 0x75];

pub fn header() -> Vec<u8> {
    element(&[0x1A, 0x45, 0xDF, 0xA3], &element(&[0x42, 0x82], b"webm"))
}

/// Segment information with or without a duration in milliseconds.
pub fn information(duration: Option<f64>) -> Vec<u8> {
    let mut body = element(&[0x2A, 0xD7, 0xB1], &1_000_000_u32.to_be_bytes());
    body.extend(duration.iter().flat_map(|value| element(&[0x44, 0x89], &value.to_be_bytes())));
    element(&[0x15, 0x49, 0xA9, 0x66], &body)
}

/// Returns a track list with one track: 1 for video, 2 for audio.
pub fn tracks(kind: u8) -> Vec<u8> {
    tracks_of(&[kind])
}

/// Returns a track list with a track of each kind: 1 for video, 2 for audio, 17 for subtitles.
pub fn tracks_of(kinds: &[u8]) -> Vec<u8> {
    let entry = |(number, kind): (u8, &u8)| {
        let values = [
            element(&[0xD7], &[number]),
            element(&[0x83], &[*kind]),
            element(&[0x86], b"V_VP8"),
            element(&[0xE0], &[element(&[0xB0], &[1, 64]), element(&[0xBA], &[180])].concat()),
        ];
        element(&[0xAE], &values.concat())
    };
    let entries: Vec<u8> = (1..).zip(kinds).flat_map(entry).collect();
    element(&[0x16, 0x54, 0xAE, 0x6B], &entries)
}

/// Returns a block of the first track, `relative` milliseconds after its cluster's timestamp.
pub fn block(relative: i16) -> Vec<u8> {
    let time = relative.to_be_bytes();
    element(&[0xA3], &[0x81, time[0], time[1], 0x80, 0, 0])
}

/// Returns the content of a cluster: its timestamp, and blocks that are `step` milliseconds apart.
pub fn cluster_body(start: u64, blocks: i16, step: i16) -> Vec<u8> {
    let mut body = element(&[0xE7], &start.to_be_bytes());
    for index in 0..blocks {
        body.extend(block(index * step));
    }
    body
}

/// Returns the start of a live recording, up to its tracks. The size of the segment is unknown, as in every such file.
pub fn live_start(duration: Option<f64>) -> Vec<u8> {
    [header(), endless(SEGMENT), information(duration), tracks(1)].concat()
}

/// Returns a cluster of unknown size, as in a live recording.
pub fn live_cluster(body: &[u8]) -> Vec<u8> {
    [endless(CLUSTER), body.to_vec()].concat()
}

/// Returns a file of `seconds` clusters with ten frames each.
pub fn file_of_seconds(duration: Option<f64>, seconds: u32) -> Vec<u8> {
    file_of_ms(duration, seconds * 1000)
}

/// Returns a file of `length` milliseconds with a frame every 100 ms.
pub fn file_of_ms(duration: Option<f64>, length: u32) -> Vec<u8> {
    let mut body = [information(duration), tracks(1)].concat();
    for start in (0..length).step_by(1000) {
        let frames = (length - start).min(1000).div_ceil(100);
        let frames = i16::try_from(frames).expect("at most ten");
        body.extend(element(CLUSTER, &cluster_body(start.into(), frames, 100)));
    }
    [header(), element(SEGMENT, &body)].concat()
}
