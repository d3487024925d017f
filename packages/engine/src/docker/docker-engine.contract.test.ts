import { engineContract } from '../contract/engine-contract.ts';
import { connectEngine } from './connect.ts';

engineContract('the Docker Engine API', () => connectEngine());
