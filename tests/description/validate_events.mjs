// Compares events with the `webhooks` section of the OpenAPI document: validate_events.mjs DOCUMENT <EVENTS
//
// Reads one JSON object per line: an event as `event`, and the headers it came with as `headers`. Fails for an event
// that its schema does not allow, and for a member that the schema does not name.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

const document = JSON.parse(readFileSync(process.argv[2], "utf8"));
const ajv = addFormats(new Ajv({ allErrors: true, strict: false, formats: { int32: true, int64: true } }));
for (const { post } of Object.values(document.webhooks)) close(schemaOf(post));
ajv.addSchema(document, "document");

function schemaOf(request) {
  return find(request.requestBody.content["application/json"].schema.$ref);
}

function find(reference) {
  return reference.slice(2).split("/").reduce((value, part) => value[part], document);
}

// Allows only the members that the schema names.
function close(schema) {
  schema.additionalProperties = false;
  Object.values(schema.properties).filter((property) => property.properties).forEach(close);
}

function faults({ event, headers }) {
  const request = document.webhooks[event.type]?.post;
  if (!request) return ["this type is not described"];
  const missing = request.parameters.map(({ $ref }) => find($ref).name).filter((name) => !headers[name]);
  const { $ref } = request.requestBody.content["application/json"].schema;
  const validate = ajv.getSchema(`document${$ref}`);
  const errors = validate(event) ? [] : validate.errors.map((error) => `${error.instancePath} ${JSON.stringify(error.params)}: ${error.message}`);
  return [...missing.map((name) => `no header ${name}`), ...errors];
}

const received = readFileSync(0, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const wrong = received.map((one) => ({ ...one, faults: faults(one) })).filter((one) => one.faults.length);
for (const { event, faults } of wrong) console.error(JSON.stringify(event), faults);
if (wrong.length || !received.length) process.exit(1);
console.log(`${received.length} events are as described: ${[...new Set(received.map(({ event }) => event.type))].join(" ")}`);
