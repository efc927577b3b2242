// Programs that receive events and verify their signatures: the same as in the documentation of webhooks.

const NODE = `import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // in a database, for more than a few minutes

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  let event;
  try {
    event = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
  } catch {
    response.writeHead(400).end();
    return;
  }
  if (!seen.has(event.id)) {
    seen.add(event.id);
    console.log(event.type, event.data.content_uuid ?? "");
  }
  response.writeHead(204).end();
}).listen(Number(process.env.PORT), "127.0.0.1");`;

const PYTHON = `import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen = set()  # in a database, for more than a few minutes


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except WebhookVerificationError:
            self.respond(400)
            return
        if event["id"] not in seen:
            seen.add(event["id"])
            print(event["type"], event["data"].get("content_uuid", ""), flush=True)
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()`;

export const RECEIVERS = [
  { name: "JavaScript", text: `// npm install standardwebhooks\n${NODE}` },
  { name: "Python", text: `# pip install standardwebhooks\n${PYTHON}` },
];

/** @param {string} uploadUrl */
export function localCommands(uploadUrl) {
  return [{ name: "clipgate", text: [
    `clipgate login --url ${uploadUrl}   # asks for your API key`,
    "clipgate listen --forward-to http://localhost:3000/webhook",
  ].join("\n") }];
}
