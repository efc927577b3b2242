// Runs before the page is drawn, so that no other language is seen first. The style sheet hides the other languages.
import { restoreLanguage } from "./language.mjs";

restoreLanguage();
