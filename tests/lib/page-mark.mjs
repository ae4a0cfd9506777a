/** What goes with every message besides the user's words. */

/** A message to the model without the title and address of the page in front. */
export const withoutPage = (content) =>
  content.replace(/\n\n\[Title and address of the page that the user is looking at[^\]]*\]\n<page_data[^>]*>\n[\s\S]*?\n<\/page_data>/g, '');
