/** Builds before `npm pack`: an archive without the core or the command would be of no use. */
import { setUp } from "./setup.mjs";

setUp();
