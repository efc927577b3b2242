# The workerd configuration of the queue bridge: its modules, its SQLite storage, and its environment variables. The
# port and the storage folder are command-line arguments (ops/dev/src/queue_bridge.rs).

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "bridge", worker = .bridge),
    (name = "storage", disk = (writable = true)),
  ],
  sockets = [(name = "http", http = (), service = "bridge")],
);

const bridge :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "queues.js", esModule = embed "queues.js"),
    (name = "faults.js", esModule = embed "faults.js"),
  ],
  bindings = [
    (name = "ACCOUNT_ID", fromEnvironment = "ACCOUNT_ID"),
    (name = "QUEUE_ID", fromEnvironment = "QUEUE_ID"),
    (name = "QUEUE_DEAD_ID", fromEnvironment = "QUEUE_DEAD_ID"),
    (name = "QUEUE_COMPLETIONS_ID", fromEnvironment = "QUEUE_COMPLETIONS_ID"),
    (name = "MAX_RETRIES", fromEnvironment = "MAX_RETRIES"),
    (name = "QUEUE_TOKEN", fromEnvironment = "QUEUE_TOKEN"),
    (name = "QUEUES", durableObjectNamespace = "Queues"),
  ],
  durableObjectNamespaces = [(className = "Queues", uniqueKey = "clipgate-queues", enableSql = true)],
  durableObjectStorage = (localDisk = "storage"),
);
