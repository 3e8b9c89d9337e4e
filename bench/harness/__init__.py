"""What every comparison with other schedulers needs: processes with limits, compilation of one
variant, alternating rounds of measurement, tables. Standard library only."""
