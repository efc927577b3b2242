// Loaded only when a file is chosen. By itself, so that the package's other functions are left out.
import { sha256 } from "@noble/hashes/sha2.js";

export const createHasher = () => sha256.create();
