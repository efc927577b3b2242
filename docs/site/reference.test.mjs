// The reference shows an OpenAPI document as readers need it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { readSamples, sampleOf } from "./operation-samples.mjs";
import { DOORS } from "./pages.mjs";
import { readDescription } from "./reference.mjs";

const object = (properties, required = []) => ({ type: "object", properties, required });

// Returns the only operation of a document.
function operationOf(operation, schemas = {}) {
  const document = {
    tags: [{ name: "videos", description: "Videos." }],
    paths: { "/videos": { post: { operationId: "get_api_key", tags: ["videos"], summary: "Returns it.", responses: {}, ...operation } } },
    components: { schemas, securitySchemes: { api_key: { type: "http", scheme: "bearer", description: "The API key of a channel." } } },
  };
  return readDescription(document, "/docs/reference")[0].operations[0];
}

const bodyOf = (schema, schemas) => operationOf({ requestBody: { content: { "application/json": { schema } } } }, schemas).bodies[0];

test("an operation has a title in words and a page below its tag", () => {
  const { title, url, method } = operationOf({});
  assert.deepEqual([title, url, method], ["Get API key", "/docs/reference/videos/get_api_key", "POST"]);
});

test("the list shows the first sentence of the summary", () => {
  assert.equal(operationOf({ summary: "Lists the\nvideos. Counts as a use." }).short, "Lists the videos.");
  assert.equal(operationOf({ summary: "Lists version 1.5 of it." }).short, "Lists version 1.5 of it.");
});

test("paragraphs about statuses are not part of the description", () => {
  const description = "It can be\nrepeated.\n\n404 `not_found`.\n\nBefore the body: 401 `api_key_invalid`.";
  const operation = operationOf({ description });
  assert.equal(operation.description, "It can be repeated.");
  assert.deepEqual(operation.order, ["404 `not_found`.", "Before the body: 401 `api_key_invalid`."]);
});

test("credentials are described in words", () => {
  assert.deepEqual(operationOf({ security: [{ api_key: [] }] }).credentials, {
    texts: ["[the API key of a channel](/docs/publish/api-key), in the header `Authorization: Bearer …`"],
    isOptional: false,
  });
  assert.ok(operationOf({ security: [{}, { api_key: [] }] }).credentials.isOptional);
});

test("an object with a name is described once, below the object that has it", () => {
  const Urls = object({ page: { type: "string" } });
  const schema = object({ urls: { oneOf: [{ $ref: "#/components/schemas/Urls" }, { type: "null" }] }, all: { type: "array", items: { $ref: "#/components/schemas/Urls" } } });
  const { fields, objects } = bodyOf(schema, { Urls });
  assert.deepEqual(fields.map(({ type, isNullable, object }) => [type, isNullable, object]), [["Urls", true, "Urls"], ["list of Urls", false, "Urls"]]);
  assert.deepEqual(objects.map(({ name, fields }) => [name, fields.map(({ name }) => name)]), [["Urls", ["page"]]]);
});

test("the fields of combined schemas and of schemas without a name are in one table", () => {
  const Base = object({ id: { type: "integer" } }, ["id"]);
  const schema = { allOf: [{ $ref: "#/components/schemas/Base" }, object({ data: object({ time: { type: "string", format: "date-time" } }) })] };
  const { fields } = bodyOf(schema, { Base });
  assert.deepEqual(fields.map(({ name, type }) => `${name}: ${type}`), ["id: integer", "data: object", "data.time: date and time"]);
  assert.deepEqual(fields.map(({ isRequired }) => isRequired), [true, false, false]);
});

test("the values and limits of a field are part of its description", () => {
  const State = { oneOf: [{ type: "string", enum: ["open", "used"] }, { type: "string" }] };
  const described = (property) => bodyOf(object({ property }), { State }).fields[0].description;
  assert.equal(described({ $ref: "#/components/schemas/State" }), "One of `open`, `used`.");
  assert.equal(described({ type: "string", maxLength: 2200, description: "Text" }), "Text. At most 2,200 characters.");
  assert.equal(described({ type: "string", maxLength: 2200, description: "At most 2,200 of them." }), "At most 2,200 of them.");
  assert.equal(described({ type: "integer", minimum: 1, maximum: 100 }), "From 1 to 100.");
  assert.equal(described({ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), "");
});

test("fields that share the beginning of their names are one row", () => {
  const { fields } = bodyOf({ type: "object", patternProperties: { "^captions_file_[a-z]{2}$": { type: "string", format: "binary" } } });
  assert.deepEqual(fields.map(({ name, type }) => [name, type]), [["captions_file_…", "file"]]);
});

test("successes come before failures, and a range of statuses in its place", () => {
  const { responses } = operationOf({ responses: { 410: {}, default: {}, "2XX": {} } });
  assert.deepEqual(responses.map(({ name }) => name), ["2xx Success", "410 Gone", "Any other status"]);
});

test("each operation that programs call has the sample of a guide", () => {
  const pages = DOORS.flatMap(({ sections }) => sections.flatMap(({ title, pages }) => pages.map((page) => ({ ...page, section: title }))));
  const guides = pages.filter(({ source }) => source.startsWith("docs/publish/")).map((page) => ({ ...page, text: readFileSync(page.source, "utf8") }));
  const samples = readSamples(guides);
  const tags = readDescription(JSON.parse(readFileSync("edge/site/openapi.json", "utf8")), "/docs/reference");
  const called = tags.flatMap(({ operations }) => operations).filter(({ path }) => path.startsWith("/api/php/"));
  const missing = called.filter((operation) => !sampleOf(operation, samples)).map(({ id }) => id);
  assert.deepEqual(missing, []);
});
