/** The query parameters of every list in pages. */
export const pages = {
  limit: "items per page: 50 by default, 200 at most",
  cursor: "`next` of the page before",
};
