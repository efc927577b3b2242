//! Forms as real clients write them, with a quote, a line break and a non-ASCII letter.
//!
//! The forms of curl 7.88, Node's fetch and Python's requests 2.34 were captured from a socket. The others follow the
//! HTML standard and the documentation of their clients.

use crate::splits::every_split;
use crate::transcript::read_form;
use multipart::{Boundary, Caps};

struct Client {
    name: &'static str,
    content_type: &'static str,
    /// The header block of the file's part.
    head: &'static str,
    field: &'static str,
    filename: &'static str,
    end: &'static str,
}

const CLIENTS: &[Client] = &[
    Client {
        name: "curl",
        content_type: "multipart/form-data; boundary=------------------------9cb4a497b175bd4b",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"cl%22ip ö.mp4\"\r\nContent-Type: application/octet-stream\r\n",
        field: "content_file",
        filename: "cl\"ip ö.mp4",
        end: "\r\n",
    },
    Client {
        name: "curl --form-escape",
        content_type: "multipart/form-data; boundary=------------------------7ba36e18c77aced8",
        head: "Content-Disposition: form-data; name=\"q\\\"n\"; filename=\"a\\\\b.mp4\"\r\n",
        field: "q\"n",
        filename: "a\\b.mp4",
        end: "\r\n",
    },
    Client {
        name: "Node fetch",
        content_type: "multipart/form-data; boundary=----formdata-undici-057855468787",
        head: "Content-Disposition: form-data; name=\"q%22n%0D%0Aä\"; filename=\"cl%22ip ö%0A.mp4\"\r\nContent-Type: application/octet-stream\r\n",
        field: "q\"n%0D%0Aä",
        filename: "cl\"ip ö%0A.mp4",
        end: "\r\n",
    },
    Client {
        name: "Python requests",
        content_type: "multipart/form-data; boundary=769d6844be8af6f7419442b3ca7945aa",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"cl%22ip ö%0A.mp4\"\r\n",
        field: "content_file",
        filename: "cl\"ip ö%0A.mp4",
        end: "\r\n",
    },
    Client {
        name: "Chrome and Safari",
        content_type: "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"cl%22ip ö.mp4\"\r\nContent-Type: video/mp4\r\n",
        field: "content_file",
        filename: "cl\"ip ö.mp4",
        end: "\r\n",
    },
    Client {
        name: "Firefox",
        content_type: "multipart/form-data; boundary=---------------------------41184676334977",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"C:\\clips\\ö.mp4\"\r\nContent-Type: video/mp4\r\n",
        field: "content_file",
        filename: "C:\\clips\\ö.mp4",
        end: "\r\n",
    },
    Client {
        name: "Go",
        content_type: "multipart/form-data; boundary=5a7c3b0f5a7c3b0f5a7c3b0f5a7c3b0f5a7c3b0f5a7c3b0f5a7c3b0f5a7c",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"cl\\\"ip ö.mp4\"\r\nContent-Type: application/octet-stream\r\n",
        field: "content_file",
        filename: "cl\"ip ö.mp4",
        end: "\r\n",
    },
    Client {
        name: "Java OkHttp",
        content_type: "multipart/form-data; boundary=c8fb9f2e-3a5e-4d0a-9b5e-0d7e7d3d1f00",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"cl%22ip ö.mp4\"\r\nContent-Type: video/mp4\r\nContent-Length: 1\r\n",
        field: "content_file",
        filename: "cl\"ip ö.mp4",
        end: "\r\n",
    },
    Client {
        name: "Java Apache HttpClient",
        content_type: "multipart/form-data; boundary=Xb2_uY-8Kq; charset=ISO-8859-1",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename=\"clip.mp4\"\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: binary\r\n",
        field: "content_file",
        filename: "clip.mp4",
        end: "\r\n",
    },
    Client {
        name: ".NET HttpClient",
        content_type: "multipart/form-data; boundary=\"0f9c7d10-54c1-4b0c-8f5e-3f2f1f0e0d0c\"",
        head: "Content-Type: video/mp4\r\nContent-Disposition: form-data; name=content_file; filename=clip.mp4; filename*=utf-8''clip.mp4\r\n",
        field: "content_file",
        filename: "clip.mp4",
        end: "\r\n",
    },
    Client {
        name: "a client that knows only filename*",
        content_type: "multipart/form-data; boundary=f00",
        head: "Content-Disposition: form-data; name=\"content_file\"; filename*=UTF-8''cl%22ip%20%C3%B6.mp4\r\n",
        field: "content_file",
        filename: "cl\"ip ö.mp4",
        end: "",
    },
];

#[test]
fn the_form_of_every_client_is_read_under_every_split() {
    for client in CLIENTS {
        let boundary = Boundary::from_content_type(client.content_type).expect(client.name);
        let dashed = format!("--{}", boundary.as_str());
        let text = format!("{dashed}\r\nContent-Disposition: form-data; name=\"caption\"\r\n\r\nhi\r\n");
        let body = format!("{text}{dashed}\r\n{}\r\nv\r\n{dashed}--{}", client.head, client.end);
        for (split, chunks) in every_split(body.as_bytes()) {
            let form = read_form(&boundary, Caps::default(), chunks);
            assert_eq!(form.outcome, Ok(()), "{} in {split}", client.name);
            let [caption, file] = &form.parts[..] else { panic!("{}: two parts", client.name) };
            assert_eq!((caption.head.name.as_str(), &caption.content[..]), ("caption", &b"hi"[..]));
            assert_eq!((file.head.name.as_str(), &file.content[..]), (client.field, &b"v"[..]));
            assert_eq!(file.head.filename.as_deref(), Some(client.filename), "{}", client.name);
        }
    }
}
