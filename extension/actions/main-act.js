/** What acts: put into a document before the first action in it. */

import './main.js';
import { act } from './act.js';
import { serve } from './requests.js';

serve({ act });
