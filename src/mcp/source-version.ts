/** The metadata key of a source's build version, whichever side dials. */
export const sourceVersionKey = "config.source.version";
