LONGEST_DECK: int  # images
AFFINITY_STEPS: int  # affinities are stored in steps of 1 / AFFINITY_STEPS
