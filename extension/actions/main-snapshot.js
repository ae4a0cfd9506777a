/** What reads outlines: put into a document before the first snapshot of it. */

import './main.js';
import { serve } from './requests.js';
import { snapshot } from './snapshot.js';

serve({ snapshot });
