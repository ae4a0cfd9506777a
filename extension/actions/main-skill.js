/** What steps of SKILLs ask of a page, and assertions of simulations: put into a document before the first such request there. */

import { elements } from './elements.js';
import './main.js';
import { serve } from './requests.js';
import { change } from './skill/change.js';
import { conditions } from './skill/conditions.js';
import { end } from './skill/end.js';
import { listenForHealth } from './skill/health.js';
import { locate } from './skill/locate.js';
import { data } from './skill/page-data.js';
import { part } from './skill/part.js';
import { quiet } from './skill/quiet.js';
import { request } from './skill/request.js';
import { rows } from './skill/rows.js';
import { value } from './skill/value.js';

const reads = { change, conditions, data, locate, part, quiet, request, rows, value };
listenForHealth(reads);
serve({ ...reads, elements, end });
